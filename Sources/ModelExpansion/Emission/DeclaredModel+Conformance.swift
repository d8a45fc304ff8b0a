import SwiftSyntax
import SwiftSyntaxBuilder

extension DeclaredModel {
    /// What makes the class a model, and keeps it from being `Sendable`, as every class of the main actor's is otherwise.
    static func conformances(of type: some TypeSyntaxProtocol, isSubmodel: Bool) throws -> [ExtensionDeclSyntax] {
        if isSubmodel {
            return [try ExtensionDeclSyntax("nonisolated extension \(type.trimmed): RestfulData.Submodel {}")]
        }
        return [
            try ExtensionDeclSyntax("nonisolated extension \(type.trimmed): RestfulData.Model {}"),
            try ExtensionDeclSyntax(
                """
                @available(*, unavailable, message: "an object is used where its context is; pass its identity on")
                nonisolated extension \(type.trimmed): Swift.Sendable {}
                """),
        ]
    }
}
