import Conventions
import Testing

@Suite struct RouteDerivationTests {
    @Test(
        arguments: [
            ("/repos/:repository.full_name/issues", "repository", "/repos/:full_name/issues"),
            (
                "/repos/:repository.owner.login/:repository.name/issues", "repository",
                "/repos/:owner.login/:name/issues"
            ),
            ("/posts/:post_id/comments", "post", "/posts/:id/comments"),
            ("/posts/:post/comments", "post", "/posts/:id/comments"),
            ("/posts/:post_id/comments.json", "post", "/posts/:id/comments.json"),
            ("/comments?post=:post_id", "post", "/comments?post=:id"),
            ("/comments/:post_id.json", "post", "/comments/:id.json"),
            ("/posts/:{post.full-name}/comments", "post", "/posts/:{full-name}/comments"),
            ("https://joe@example.com/posts/:post_id/x", "post", "https://joe@example.com/posts/:id/x"),
            ("/users/:user_name/:user.id", "user", nil),
            ("/users/:user_name", "user", nil),
            ("/repos/:repository.full_name/milestones/:milestone.number/issues", "repository", nil),
            ("/repos/:repository.full_name/issues", "user", nil),
            ("/posts/:post_id.x/comments", "post", nil),
            ("/posts", "post", nil),
        ] as [(String, String, String?)])
    func `A relationship's route is derived from the base of its model`(base: String, inverse: String, derived: String?)
        throws
    {
        #expect(try RouteTemplate(base).derivedForRelationship(inverse: inverse)?.text == derived)
    }

    @Test func `Route derivation takes the foreign key and identity by given names`() throws {
        let template = try RouteTemplate("/posts/:postId/comments")
        #expect(template.derivedForRelationship(inverse: "post") == nil)
        let derived = template.derivedForRelationship(inverse: "post", foreignKey: "postId", identity: "slug")
        #expect(derived?.text == "/posts/:slug/comments")
    }

    @Test(arguments: [
        ("/path", "id", "/path/:id"), ("/", "id", "/:id"), ("/users/", "id", "/users/:id/"),
        ("/search?q=:q", "number", "/search/:number?q=:q"), ("/a/?q", "id", "/a/:id/?q"),
        ("/posts/:post_id", "id", "/posts/:post_id/:id"),
        ("/posts/:post_id.json", "id", "/posts/:post_id.json/:id"),
        ("https://example.com", "id", "https://example.com/:id"),
        ("/x", "full-name", "/x/:{full-name}"), ("/x", "owner.login", "/x/:owner.login"), ("/x", "", "/x"),
    ])
    func `A key's placeholder is appended to a base`(base: String, key: String, text: String) throws {
        #expect(try RouteTemplate(base).appending(key: key).text == text)
    }

    /// The text of a template that was derived from another one parses to the same template.
    @Test(arguments: [
        "/repos/:repository.full_name/issues", "/posts/:{post}x:{post}.json", "/:post.json", "/:{post.json}",
        "/:{post}.json",
        "/a b/:post_id-:{post.full-name}?q=:post&x=%20", "/:{post}.a", "/:{post}...:post", "/:{post}1", "/:{post}é",
    ])
    func `The text of a derived template parses to an equal template`(_ text: String) throws {
        for template in [try RouteTemplate(text), try RouteTemplate(text).derivedForRelationship(inverse: "post")] {
            guard let appended = template?.appending(key: "id") else { continue }
            let parsed = try RouteTemplate(appended.text)
            #expect(parsed == appended)
        }
    }
}
