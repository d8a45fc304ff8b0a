import SwiftSyntax

extension AttributeSyntax {
    /// `Model` for `Model` and for `RestfulData.Model`.
    var baseName: String {
        if let member = attributeName.as(MemberTypeSyntax.self) { return member.name.text }
        return attributeName.as(IdentifierTypeSyntax.self)?.name.text ?? attributeName.trimmedDescription
    }

    var argumentList: LabeledExprListSyntax? { arguments?.as(LabeledExprListSyntax.self) }
}

extension AttributeListSyntax {
    subscript(named name: String) -> AttributeSyntax? {
        lazy.compactMap { $0.as(AttributeSyntax.self) }.first { $0.baseName == name }
    }
}

extension LabeledExprListSyntax {
    var unlabeled: ExprSyntax? {
        guard let first, first.label == nil else { return nil }
        return first.expression
    }

    subscript(label label: String) -> ExprSyntax? {
        first { $0.label?.text == label }?.expression
    }

    /// With the unlabelled arguments after it.
    func variadic(label: String) -> [ExprSyntax] {
        guard let start = firstIndex(where: { $0.label?.text == label }) else { return [] }
        let rest = self[index(after: start)...].prefix { $0.label == nil }
        return [self[start].expression] + rest.map(\.expression)
    }
}
