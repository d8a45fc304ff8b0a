import SwiftSyntax

/// `@Model(identity: "labels")`: only attributes and links can identify an object.
enum IdentityOfManyObjects: ModelRule {
    static func findings(in model: DeclaredModel) -> [Finding] {
        model.identity.compactMap { property in
            guard property.isModelled, case .array = property.shape else { return nil }
            let message =
                "'\(property.name)' is a list, which can't be part of an identity; "
                + "name an attribute or a relationship to one object"
            return Finding(Self.self, at: property.nameSyntax, message)
        }
    }
}
