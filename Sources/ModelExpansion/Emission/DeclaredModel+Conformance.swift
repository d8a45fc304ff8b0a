import SwiftSyntax
import SwiftSyntaxBuilder

extension DeclaredModel {
    static func conformance(of type: some TypeSyntaxProtocol, isSubmodel: Bool) throws -> ExtensionDeclSyntax {
        try ExtensionDeclSyntax("extension \(type.trimmed): RestfulData.\(raw: isSubmodel ? "Submodel" : "Model") {}")
    }
}
