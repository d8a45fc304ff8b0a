import SwiftSyntax

/// `struct Properties` in a model: `@Model` adds that type.
enum ReservedMember: ModelRule {
    static func findings(in model: DeclaredModel) -> [Finding] {
        model.syntax.memberBlock.members.compactMap { $0.decl.clashingName }.map { name in
            Finding(Self.self, at: name, "'\(name.text)' is the name of a member that '@Model' adds; rename yours")
        }
    }
}

extension DeclSyntax {
    /// A type, or a static or computed property, that `@Model` declares too.
    fileprivate var clashingName: TokenSyntax? {
        if let variable = self.as(VariableDeclSyntax.self) {
            guard !variable.isStoredInInstances else { return nil }
            return variable.bindings.lazy.compactMap { $0.pattern.as(IdentifierPatternSyntax.self)?.identifier }
                .first { ReservedPropertyName.names.contains($0.text) }
        }
        let type = asProtocol((any NamedDeclSyntax).self)?.name
        return type.flatMap { ["Properties", "OwnProperties"].contains($0.text) ? $0 : nil }
    }
}
