import SwiftSyntax

/// `@Attribute(.unique) var login = ""`, as in SwiftData: an object is unique by its identity.
enum UniqueAttribute: PropertyRule {
    static func findings(in property: DeclaredProperty) -> [Finding] {
        guard let marker = property.markers.attribute, let option = marker.argumentList?.first(where: \.isUnique) else {
            return []
        }
        let plain = property.syntax.dropping([option], of: marker)
        let removal = Remedy("remove '.unique'", replacing: property.syntax, with: plain)
        guard let model = property.modelAttribute else {
            return [Finding(Self.self, at: option, "'.unique' is SwiftData's; remove it", remedies: [removal])]
        }
        let arguments = ModelArguments(model)
        guard !arguments.identifies(property) else {
            let message = "'.unique' is SwiftData's; '\(property.name)' is the identity, which is unique; remove it"
            return [Finding(Self.self, at: option, message, remedies: [removal])]
        }
        let message =
            "'.unique' is SwiftData's; an object is unique by its identity. Write '@Model(identity: "
            + "\"\(property.name)\")' if the server knows it by '\(property.name)', and remove '.unique'"
        guard !arguments.namesIdentity, arguments.parent == nil, !arguments.isEmbedded else {
            return [Finding(Self.self, at: option, message, remedies: [removal])]
        }
        let identity = "identity: \"\(property.name)\""
        let identifying = Remedy(
            "declare '\(identity)'",
            changes: [
                (Syntax(model), Syntax(model.replacingArguments(with: arguments.texts(adding: identity)))),
                (Syntax(property.syntax), Syntax(plain)),
            ])
        return [Finding(Self.self, at: option, message, remedies: [identifying, removal])]
    }
}

extension LabeledExprSyntax {
    fileprivate var isUnique: Bool { label == nil && expression.implicitMember == "unique" }
}

extension ModelArguments {
    /// By name or by convention.
    fileprivate func identifies(_ property: DeclaredProperty) -> Bool {
        namesIdentity
            ? identity.contains { $0.value == property.name || $0.value == property.jsonName }
            : ["identifier", "id"].contains(property.name)
    }

    fileprivate func texts(adding identity: String) -> [String] {
        let arguments = list.map(Array.init) ?? []
        let before = arguments.prefix {
            $0.label.map { ModelArguments.urlLabels.contains($0.text) || $0.text == "key" } ?? true
        }
        return before.map(\.text) + [identity] + arguments.dropFirst(before.count).map(\.text)
    }
}

extension DeclaredProperty {
    /// `nil` in other types.
    fileprivate var modelAttribute: AttributeSyntax? {
        // Item, member list, block, class.
        syntax.parent?.parent?.parent?.parent?.as(ClassDeclSyntax.self)?.attributes[named: "Model"]
    }
}
