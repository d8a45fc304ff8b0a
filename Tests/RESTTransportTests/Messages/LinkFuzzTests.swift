import Foundation
import RESTTransport
import TestSupport
import Testing

/// Malformed `Link` fields, and the links that can be read.
@Suite struct LinkFuzzTests {
    private static let fields = [
        #"<https://api.github.com/user/repos?page=3&per_page=100>; rel="next", <https://api.github.com/user/repos?page=50>; rel="last""#,
        ##"</a>; rel=next; title*=UTF-8''%e2%82%ac%20rates, <?page=2>;rel="prev previous";anchor="#x""##,
        #"<b?c=,;>; a="\"quoted, <x>\""; rel="first""#,
    ]
    private static let words = [
        "<", ">", ";", ",", "\"", "\\", "=", "rel=", "next", "rel=\"next\"", " ", "\t", "%", "*", "é", "\u{0}",
    ]

    @Test(arguments: Fuzzing.seeds(8))
    func `Mutated Link fields only give http and https links with a host`(_ seed: UInt64) throws {
        let base = try #require(URL(string: "https://api.example.com/a/b?c"))
        var mutator = Mutator(seed: seed, words: Self.words)
        for _ in 0..<500 {
            let field = mutator.nextText(Self.fields)
            let links = Links(field, relativeTo: base)
            for target in [links.next, links.prev, links.first, links.last].compactMap(\.self) {
                #expect(["http", "https"].contains(target.scheme?.lowercased()), "\(field)")
                #expect(!(target.host() ?? "").isEmpty, "\(field)")
            }
        }
    }
}
