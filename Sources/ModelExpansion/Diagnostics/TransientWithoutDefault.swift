import SwiftSyntax

/// `@Transient var cache: Cache`: the context creates instances.
enum TransientWithoutDefault: ModelRule {
    static func findings(in model: DeclaredModel) -> [Finding] {
        model.properties.filter { $0.markers.transient != nil && !$0.startsWithAValue }.map { property in
            let message =
                "the context makes instances by itself, so '@Transient' '\(property.name)' is optional or has a default"
            let remedies = property.annotation.map { [Remedy.makingOptional($0)] } ?? []
            return Finding(Self.self, at: property.nameSyntax, message, remedies: remedies)
        }
    }
}

extension DeclaredProperty {
    fileprivate var startsWithAValue: Bool {
        if initialValue != nil { return true }
        guard syntax.bindingSpecifier.tokenKind == .keyword(.var) else { return false }
        switch shape {
        case .optional, .implicitlyUnwrapped: return true
        default: return syntax.modifiers.contains { $0.name.tokenKind == .keyword(.lazy) }
        }
    }
}
