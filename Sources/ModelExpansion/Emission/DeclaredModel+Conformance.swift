import SwiftSyntax
import SwiftSyntaxBuilder

extension DeclaredModel {
    static func conformance(of type: some TypeSyntaxProtocol) throws -> ExtensionDeclSyntax {
        try ExtensionDeclSyntax("extension \(type.trimmed): RestfulData.Model {}")
    }
}
