import Foundation
import TestSupport
import Testing

/// Protocols that users implement can be implemented as in their own documentation, in a module of any settings.
@Suite(.serialized, .enabled(if: ClientCompiler.isExpected, "no record of the build's compiler calls is here"))
struct DocumentationExampleTests {
    /// A source file, and the declarations that its examples need.
    struct Page: Sendable, CustomTestStringConvertible {
        let path: String
        var surroundings = ""

        var testDescription: String { path }

        /// The code in the documentation of the first protocol that the file declares, as a program.
        func program() throws -> Client {
            let text = try String(contentsOf: ProjectFolder.root.appending(path: "Sources/\(path)"), encoding: .utf8)
            let example = try #require(DocumentationExampleTests.example(in: text))
            return Client(source: "import RestfulData\n\(surroundings)\n\(example)")
        }
    }

    static let pages = [
        Page(path: "RESTTransport/Transport.swift"),
        Page(path: "RESTTransport/Middleware/Middleware.swift"),
        Page(
            path: "ObjectStore/Values/AttributeValue.swift",
            surroundings: """
                nonisolated struct Version {
                    var description: String
                    init(_ text: String) { description = text }
                }
                """),
        Page(path: "ObjectStore/Models/ResponseBody.swift", surroundings: issue),
    ]

    private static let issue = """
        import Foundation

        @Model
        nonisolated final class Issue { var identifier: Int? }

        """

    static func programs(_ settings: Client.Settings) throws -> [Client] {
        try pages.map { try $0.program() } + [spelledOut(settings)]
    }

    @Test(arguments: pages, Client.Settings.allCases)
    func `The example of each public protocol's documentation compiles`(_ page: Page, _ settings: Client.Settings)
        async throws
    {
        let program = try page.program()
        let verdict = try await ProgramSet.plain.verdict(on: program, settings)
        #expect(verdict.isAccepted, "\(program.source)\n\(verdict.log)")
        #expect(!verdict.hasWarnings, "\(verdict.log)")
    }

    @Test(arguments: Client.Settings.allCases)
    func `Every type that a client passes to an API can be spelled out`(_ settings: Client.Settings) async throws {
        let verdict = try await ProgramSet.plain.verdict(on: Self.spelledOut(settings), settings)
        #expect(verdict.isAccepted, "\(verdict.log)")
    }

    private static func spelledOut(_ settings: Client.Settings) -> Client {
        Client(
            source: """
                import RestfulData

                struct Counting: Middleware {
                    func intercept(
                        _ request: APIRequest,
                        next: \(settings.runsFunctionsWhereTheyAreCalled ? "@concurrent " : "")@Sendable (APIRequest) async throws(TransportError) -> APIResponse
                    ) async throws(TransportError) -> APIResponse { try await next(request) }
                }

                actor Tokens {
                    func fresh(_ rejected: String?) async throws -> String { "" }
                }

                func known(_ response: APIResponse) async throws(TransportError) -> APIResponse { response }

                @MainActor func api(_ tokens: Tokens) -> API {
                    API("https://api.example.com") {
                        Counting()
                        BearerToken { rejected in try await tokens.fresh(rejected) }
                        MapResponse(known)
                        MapResponse { response in
                            var response = response
                            response.head.status = .init(code: 404)
                            return response
                        }
                    }
                }
                """)
    }

    /// The code in the documentation of the first protocol that a file declares.
    private static func example(in text: String) -> String? {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard let declaration = lines.firstIndex(where: { $0.hasPrefix("public protocol ") }) else { return nil }
        let comment = lines[..<declaration].reversed().prefix { $0.hasPrefix("///") }.reversed()
        let code = comment.map { $0.dropFirst(4) }.drop { $0 != "```swift" }.dropFirst().prefix { $0 != "```" }
        return code.isEmpty ? nil : code.joined(separator: "\n")
    }
}
