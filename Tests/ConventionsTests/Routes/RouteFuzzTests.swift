import Conventions
import TestSupport
import Testing

/// Random templates and values: they give a URL, or an error with the reason.
@Suite struct RouteFuzzTests {
    private static let templates = [
        "/repos/:repository.full_name/issues/:number", "/users/:login/repos?page=:page&per_page=100", "/posts/:id.json",
        "https://api.example.com/v1/a%20b/:id/", "/:a-:b/:c?q=:d", "/", "/search?q=:text#top", "/ä/:größe",
    ]
    private static let words = [
        ":", "::", ":a", ".", "..", "/", "//", "?", "&", "=", "#", "%", "%2", "%2F", "%00", "\\", "\u{0}", "é", "👨‍👩‍👧",
        "@", "https://", ":id.", "{id}", " ",
    ]

    @Test(arguments: Fuzzing.seeds(8))
    func `A mutated template is refused, or expands to a path without dot segments`(_ seed: UInt64) {
        var mutator = Mutator(seed: seed, words: Self.words)
        for _ in 0..<500 {
            let text = mutator.nextText(Self.templates)
            guard let template = try? RouteTemplate(text) else { continue }
            _ = [template.endingInSlash(), template.escapingSlashes(), template.appending(key: "owner.login")].map(
                \.description)
            let value = mutator.nextText(["octocat", "Hello-World", "a/b", "7"])
            guard let url = try? template.expand({ _ in RouteValue(value) }) else { continue }
            let path = url.prefix { $0 != "?" }
            #expect(!path.utf8.contains { $0 <= 0x20 || $0 >= 0x7F }, "\(text) with \(value): \(url)")
            let segments = path.split(separator: "/", omittingEmptySubsequences: false)
            #expect(!segments.contains("..") && !segments.contains("."), "\(text) with \(value): \(url)")
        }
    }
}
