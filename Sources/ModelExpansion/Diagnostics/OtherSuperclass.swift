import SwiftSyntax

/// `@Model(inherits: Event.self) final class PushEvent`, where `: Event` is missing.
enum OtherSuperclass: ModelRule {
    static func findings(in model: DeclaredModel) -> [Finding] {
        guard let parent = model.parentName, model.inheritedTypes.first != parent else { return [] }
        let message =
            "'inherits:' names '\(parent)', and the class doesn't inherit from it; write '\(model.name): \(parent)'"
        let remedies = model.inheritedTypes.isEmpty ? [Remedy.inheriting(parent, model.syntax)] : []
        return [Finding(Self.self, at: model.syntax.name, message, remedies: remedies)]
    }
}

extension Remedy {
    fileprivate static func inheriting(_ parent: String, _ syntax: ClassDeclSyntax) -> Remedy {
        let name = syntax.name
        let inheriting = name.with(\.tokenKind, .identifier("\(name.text): \(parent)"))
        return Remedy("inherit from '\(parent)'", replacing: name, with: inheriting)
    }
}
