import Testing

@testable import GitHubServer

@Suite struct GraphQLTests {
    private static func mutation(_ id: String) -> String {
        #"{"query":"mutation($id: ID!) { deleteIssue(input: {issueId: $id}) { clientMutationId } }","variables":{"id":"\#(id)"}}"#
    }

    @Test func `GraphQL deletes an issue with its comments, and its number isn't used again`() async throws {
        try await withServer { client in
            let issues = try await client.get(hello + "/issues?state=all&per_page=1").json
            let last = try #require(issues[0])
            guard case .integer(let number)? = last["number"] else { return }
            let id = try #require(last["node_id"]?.string)
            let answer = try await client.send("POST", "/graphql", Self.mutation(id))
            #expect(answer.status == 200)
            #expect(answer.json["errors"] == nil)
            for path in ["", "/comments"] {
                let gone = try await client.get("\(hello)/issues/\(number)\(path)")
                #expect(gone.status == 410)
                #expect(gone.json["message"] == "This issue was deleted")
            }
            let next = try await client.send("POST", hello + "/issues", #"{"title":"Next"}"#)
            #expect(next.json["number"] == .integer(number + 1))
        }
    }

    @Test func `GraphQL answers an unknown issue or an unsupported query with 200 and an error`() async throws {
        try await withServer { client in
            let unknown = try await client.send("POST", "/graphql", Self.mutation("x"))
            #expect(unknown.status == 200)
            #expect(unknown.json["errors"]?[0]?["type"] == "NOT_FOUND")
            #expect(unknown.json["data"]?["deleteIssue"] == .null)
            let other = try await client.send("POST", "/graphql", #"{"query":"{ viewer { login } }"}"#)
            #expect(other.json["errors"]?[0]?["type"] == "UNSUPPORTED")
        }
    }
}
