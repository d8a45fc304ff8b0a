import SwiftSyntax

extension DeclaredModel {
    /// What makes the class a model, and keeps it from being `Sendable`, as every class of the main actor's is
    /// otherwise.
    ///
    /// - Parameter saysModel: whether the class's own declaration does the first of the two.
    static func conformances(
        of type: some TypeSyntaxProtocol, isSubmodel: Bool, isSingular: Bool, saysModel: Bool
    ) -> [ExtensionDeclSyntax] {
        if isSubmodel {
            return [ExtensionDeclSyntax(text: "nonisolated extension \(type.trimmed): RestfulData.Submodel {}")]
        }
        let model = ExtensionDeclSyntax(
            text: "nonisolated extension \(type.trimmed): RestfulData.\(isSingular ? "SingularModel" : "Model") {}")
        let notSendable = ExtensionDeclSyntax(
            text:
                """
                @available(*, unavailable, message: "an object is used where its context is; pass its identity on")
                nonisolated extension \(type.trimmed): Swift.Sendable {}
                """)
        return saysModel && !isSingular ? [notSendable] : [model, notSendable]
    }
}
