import SwiftSyntax

extension DeclaredModel {
    /// The unavailable `Sendable` stops classes of the main actor from becoming `Sendable` implicitly.
    ///
    /// - Parameter saysModel: Whether the class declares the conformance to `Model` itself.
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
