import Conventions
import Testing

@Suite struct RouteTemplateTests {
    @Test func `Placeholders have their key path and position`() throws {
        let template = try RouteTemplate("/repos/:repository.full_name/issues/:number?state=:state&q=:{full-name}")
        #expect(
            template.placeholders.map(\.keyPath) == [
                ["repository", "full_name"], ["number"], ["state"], ["full-name"],
            ])
        #expect(template.placeholders.map(\.name) == ["repository.full_name", "number", "state", "full-name"])
        #expect(template.placeholders.map(\.position) == [.path, .path, .query, .query])
    }

    @Test(arguments: [
        "", "users", ":id", "//example.com/x", "/users/:", "/users/:/x", "/a:1", "/:{", "/:{}", "/:{a..b}", "/:.a",
        "/a//b", "/../a",
        "/a/./b", "/a/%2e%2E/b", "/a/..;x/b", "/a#b", "/a?b#c", "/a\u{0}", "/a\r\n", "https://", "https:///a",
        "https://../a", "https://.", "https://:8080/a", "https://me@/a", "https://me@..:80/a",
        "https://a b/",
        "https://exa\\mple/", "ftp://example.com/", "javascript:alert(1)", "http://höst/", "?a=b",
    ])
    func `The error of a malformed template has the offset and a reason`(_ text: String) {
        let error = #expect(throws: RouteTemplateError.self) { try RouteTemplate(text) }
        guard case .malformed(text, let offset, let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(offset <= text.count)
        #expect(!reason.isEmpty)
    }

    @Test(arguments: [
        ("/", "/"), ("/a/", "/a/"), ("/a%20b/:id", "/a%20b/7"), ("/a b/:id", "/a%20b/7"), ("/ü/:id", "/%C3%BC/7"),
        ("/100%/:id", "/100%25/7"), ("/a\\b", "/a%5Cb"), ("/time%3A/:id", "/time%3A/7"), ("/:id/", "/7/"),
        ("/:name.:ext", "/a.b.txt"), ("/compare/:base...:head", "/compare/main...dev"), ("/:base..:head", "/main..dev"),
        ("/:{id}x:{id}", "/7x7"), ("/:{id}.json", "/7.json"), ("/:id-:id", "/7-7"), ("/:id,:base", "/7,main"),
        ("/@:name", "/@a.b"), ("/v:id", "/v7"), ("/a?:id=:name", "/a?7=a.b"), ("/a?x=[1]&y=/?", "/a?x=%5B1%5D&y=/?"),
        ("https://example.com", "https://example.com"), ("HTTPS://[::1]:80/:id", "HTTPS://[::1]:80/7"),
        ("https://example.com?id=:id", "https://example.com?id=7"), ("/a?", "/a?"), ("/:deep.er.value", "/d"),
        ("/:_private", "/p"), ("/:größe", "/xl"),
    ])
    func `A template is expanded with its values`(_ template: String, _ url: String) throws {
        let values: [String: RouteValue] = [
            "id": 7, "name": "a.b", "ext": "txt", "base": "main", "head": "dev", "deep.er.value": "d", "_private": "p",
            "größe": "xl",
        ]
        #expect(try RouteTemplate(template).expand(values) == url)
    }

    @Test func `A known name that looks like a format is taken as a name`() throws {
        let template = try RouteTemplate("/things/:id.json")
        #expect(try template.expand(["id": 9, "id.json": "x"]) == "/things/x")
        #expect(try template.expand(["id": 9]) == "/things/9.json")
        #expect(try template.checked(against: ["id"]).placeholders.map(\.name) == ["id"])
        #expect(try template.checked(against: ["id", "id.json"]).placeholders.map(\.name) == ["id.json"])
        #expect(throws: RouteTemplateError.missingValue(template: template.text, name: "id.json")) {
            try template.expand(["id": 9, "id.json": .missing])
        }
        #expect(throws: RouteTemplateError.missingValue(template: template.text, name: "id")) {
            try template.expand(["id": .missing])
        }
    }

    @Test func `A misspelt name behind a dot isn't taken as a format`() throws {
        let template = try RouteTemplate("/repos/:repository.ful_name")
        #expect(throws: RouteTemplateError.self) { try template.expand(["repository": 7]) }
    }

    @Test func `All unknown names of a template are listed with the nearest known ones`() throws {
        let template = try RouteTemplate("/users/:nme/:login/:nme?x=:zzz&f=:full_name")
        let error = #expect(throws: RouteTemplateError.self) {
            try template.checked(against: ["login", "name", "full-name"])
        }
        guard case .unknownNames(_, let names) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(names.map(\.name) == ["nme", "zzz", "full_name"])
        #expect(names.map(\.suggestion) == ["name", nil, "full-name"])
        #expect(
            error?.description == """
                The route "/users/:nme/:login/:nme?x=:zzz&f=:full_name" has the unknown name ":nme" (did you mean \
                ":name"?) and the unknown name ":zzz" and the unknown name ":full_name" (did you mean ":{full-name}"?); \
                a placeholder names an attribute as the JSON does.
                """)
    }

    @Test func `A value that is nil in a checked template is reported as missing`() throws {
        let template = try RouteTemplate("/users/:login").checked(against: ["login"])
        #expect(throws: RouteTemplateError.missingValue(template: "/users/:login", name: "login")) {
            try template.expand { _ in nil }
        }
    }

    @Test(arguments: ["/users/:login", "/users?login=:login", "/users/:login.json?x=1"])
    func `An error of the closure that provides values is rethrown`(_ text: String) throws {
        struct Failure: Error {}
        let template = try RouteTemplate(text)
        #expect(throws: Failure.self) { try template.expand { _ in throw Failure() } }
    }

    @Test(
        arguments: [
            (RouteValue("a b"), "a b"), (RouteValue(-7), "-7"), (RouteValue(UInt64.max), "18446744073709551615"),
            (RouteValue(1.5), "1.5"), (true, "true"), (3, "3"), ("x\(1)", "x1"), (RouteValue("abc".dropFirst()), "bc"),
        ] as [(RouteValue, String)])
    func `A value of each type is converted to text`(_ value: RouteValue, _ text: String) {
        #expect(value.text == text)
    }

    @Test func `Descriptions of templates and their errors show no secret`() throws {
        let text = "https://joe:secret@example.com/users/:login?mail=a@b&token=secret&key=:key"
        let template = try RouteTemplate(text)
        #expect(template.description == "https://example.com/users/:login?mail=a@b&token=REDACTED&key=:key")
        #expect(template.text == text)
        #expect(template.namesItsHost)
        let errors: [RouteTemplateError] = [
            .malformed(template: text, offset: 3, reason: "a reason"), .missingValue(template: text, name: "login"),
            .unsafePath(template: text, name: "login"), .unknownNames(template: text, names: []),
        ]
        for error in errors {
            #expect(!error.description.contains("secret"))
            #expect(error.description.contains("https://example.com"))
        }
    }
}
