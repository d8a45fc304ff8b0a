import SwiftSyntax

/// `var identifier = 0` as the identity: all new objects would be the same.
enum IdentityWithDefault: ModelRule {
    static func findings(in model: DeclaredModel) -> [Finding] {
        model.identity.compactMap { property in
            guard property.isModelled, let shape = property.shape ?? .some(.other), !shape.canBeIdentity,
                let binding = property.binding
            else { return nil }
            let type = property.annotation?.optional.trimmedDescription ?? shape.optionalName ?? "<#Type#>?"
            let message =
                "'\(property.name)' is the identity, and an object made here has none until the server gives it one; "
                + "make it optional, without a default"
            let optional = binding.typed(type)
            return Finding(
                Self.self, at: property.nameSyntax, message,
                remedies: [Remedy("make it optional", replacing: binding, with: optional)])
        }
    }
}

extension TypeShape {
    /// Optionals, UUIDs, which new objects can have, and lists, which another rule reports.
    fileprivate var canBeIdentity: Bool {
        switch self {
        case .optional, .array, .value("UUID"): true
        default: false
        }
    }

    fileprivate var optionalName: String? {
        if case .value(let name) = self { "\(name)?" } else { nil }
    }
}
