import Testing

@testable import GitHubServer

@Suite struct ConditionalRequestTests {
    @Test func `The server answers 304 to its own tag until the object changes`() async throws {
        try await withServer { client in
            for target in [hello, hello + "/issues", hello + "/issues/1", "/users/octocat/repos"] {
                let first = try await client.get(target)
                let tag = try #require(first.headers["etag"])
                #expect(tag.hasPrefix("W/\""))
                for tags in [tag, String(tag.dropFirst(2)), "\"other\", \(tag)", "*"] {
                    let second = try await client.get(target, ["If-None-Match": tags])
                    #expect(second.status == 304)
                    #expect(second.body.isEmpty)
                    #expect(second.headers["content-type"] == nil)
                    #expect(second.headers["etag"] == tag)
                    #expect(second.headers["link"] == first.headers["link"])
                }
                #expect(try await client.get(target, ["If-None-Match": "\"other\""]).status == 200)
                _ = try await client.send("POST", hello + "/issues", #"{"title":"New"}"#)
                _ = try await client.send("PATCH", hello + "/issues/1", #"{"title":"Newer \#(target)"}"#)
                #expect(try await client.get(target, ["If-None-Match": tag]).status == 200)
            }
        }
    }

    @Test func `A 304 does not count against the limit`() async throws {
        try await withServer { client in
            let tag = try #require(try await client.get(hello).headers["etag"])
            let again = try await client.get(hello, ["If-None-Match": tag])
            #expect(again.headers["x-ratelimit-used"] == "1")
        }
    }

    @Test func `Last-Modified is the time of an object's last change`() async throws {
        try await withServer { client in
            let issue = hello + "/issues/1"
            let date = try #require(try await client.get(issue).headers["last-modified"])
            #expect(try await client.get(issue, ["If-Modified-Since": date]).status == 304)
            let patched = try await client.send("PATCH", issue, #"{"title":"Newer"}"#)
            #expect(patched.json["updated_at"] == "2026-01-01T00:00:01Z")
            let later = try await client.get(issue, ["If-Modified-Since": date])
            #expect(later.status == 200)
            #expect(later.headers["last-modified"] == "Thu, 01 Jan 2026 00:00:01 GMT")
            let both = try await client.get(
                issue, ["If-Modified-Since": "Thu, 01 Jan 2026 00:00:01 GMT", "If-None-Match": "\"other\""])
            #expect(both.status == 200)
            #expect(try await client.get(issue, ["If-Modified-Since": "yesterday"]).status == 200)
            #expect(try await client.get(hello + "/issues").headers["last-modified"] == nil)
        }
    }

    @Test func `The reply to a write has the tag and body of the following read`() async throws {
        try await withServer { client in
            let patched = try await client.send("PATCH", hello + "/issues/1", #"{"title":"Newer"}"#)
            let read = try await client.get(hello + "/issues/1")
            #expect(patched.headers["etag"] == read.headers["etag"])
            #expect(patched.text == read.text)
        }
    }
}
