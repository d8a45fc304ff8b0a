import SwiftSyntax

extension DeclaredResponse {
    var members: [String] {
        let tokens = parts.enumerated().map { "    let \($1.spelling) = \($1.part(at: $0, in: name))" }
        let names = parts.map { "parts.\($0.spelling)" }.joined(separator: ", ")
        let api = api.map { "api: \($0.trimmed), " } ?? ""
        let partsType = """
            nonisolated \(access.prefix)struct Parts {
            \(tokens.joined(separator: "\n"))
            }
            """
        let description = """
            nonisolated \(access.prefix)static var responseDescription: RestfulData.ResponseDescription {
                let parts = Parts()
                return RestfulData.ResponseDescription(\(plainName.emittedLiteral), \(api)[\(names)])
            }
            """
        return [partsType, description]
    }

    /// An extension keeps the struct's memberwise initializer.
    func conformance(of type: some TypeSyntaxProtocol) -> ExtensionDeclSyntax {
        let assignments = parts.map { "        self.\($0.spelling) = values[parts.\($0.spelling)]" }
        return ExtensionDeclSyntax(
            text:
                """
                nonisolated extension \(type.trimmed): RestfulData.ResponseBody {
                    nonisolated \(access.prefix)init(_ values: RestfulData.ResponseValues) {
                        let parts = Parts()
                \(assignments.joined(separator: "\n"))
                    }
                }
                """)
    }
}

extension DeclaredProperty {
    /// The compiler selects the overload by the type.
    fileprivate func part(at index: Int, in typeName: String) -> String {
        "RestfulData.ResponseParts.part(\(tokenArguments(at: index, in: typeName).joined(separator: ", ")))"
    }
}
