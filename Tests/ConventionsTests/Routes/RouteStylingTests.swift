import Conventions
import Testing

@Suite struct RouteStylingTests {
    @Test(arguments: [
        ("/posts", "/posts/"), ("/posts/", "/posts/"), ("/posts/:id", "/posts/:id/"), ("/", "/"),
        ("/posts?page=:page", "/posts/?page=:page"), ("/posts/:id/comments", "/posts/:id/comments/"),
        ("/posts.json", "/posts.json"), ("/posts/:{id}.json", "/posts/:{id}.json"),
        ("/posts/:id.json", "/posts/:id.json"),
        ("/v1.2/posts", "/v1.2/posts/"), ("/releases/v1.2", "/releases/v1.2/"), ("/a/:owner.login", "/a/:owner.login/"),
        ("https://example.com/posts", "https://example.com/posts"),
    ])
    func `A styled template's path ends in a slash`(_ template: String, _ expected: String) throws {
        let checked = try RouteTemplate(template).checked(against: ["id", "page", "owner.login"])
        let styled = checked.endingInSlash()
        #expect(
            try styled.expand { _ in "7" } == (try RouteTemplate(expected)).expand { $0.name == "id.json" ? nil : "7" })
        #expect(styled.endingInSlash() == styled)
    }

    @Test func `Templates derived from a base that ends in a slash end in one too`() throws {
        let base = try RouteTemplate("/posts/:post_id/comments").endingInSlash()
        #expect(base.appending(key: "id").text == "/posts/:post_id/comments/:id/")
        #expect(base.derivedForRelationship(inverse: "post")?.text == "/posts/:id/comments/")
    }

    @Test(arguments: [
        ("gitlab-org/gitlab", "/projects/gitlab-org%2Fgitlab/issues"), ("a b/ü", "/projects/a%20b%2F%C3%BC/issues"),
        ("plain", "/projects/plain/issues"), ("100%2F", "/projects/100%252F/issues"),
    ])
    func `A slash in a path value is escaped`(_ value: String, _ url: String) throws {
        let template = try RouteTemplate("/projects/:path/issues").escapingSlashes()
        #expect(try template.expand(["path": RouteValue(value)]) == url)
    }

    @Test(arguments: ["../admin", "a/../b", "a//b", "/a", "a/", "..", ".", "a/%2E%2E/b".removingEscapes])
    func `A value whose unescaped form leads elsewhere is refused`(_ value: String) throws {
        let template = try RouteTemplate("/projects/:path").escapingSlashes()
        #expect(throws: RouteTemplateError.unsafePath(template: "/projects/:path", name: "path")) {
            try template.expand(["path": RouteValue(value)])
        }
    }

    @Test func `Slashes in a query value are escaped in any case`() throws {
        let template = try RouteTemplate("/search?in=:path").escapingSlashes()
        #expect(try template.expand(["path": "a/b"]) == "/search?in=a%2Fb")
    }
}

extension String {
    fileprivate var removingEscapes: String { replacing("%2E", with: ".") }
}
