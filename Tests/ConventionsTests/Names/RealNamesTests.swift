import Conventions
import Foundation
import TestSupport
import Testing

/// The laws of the mapping, on the property names of real APIs and on names made to hurt.
@Suite struct RealNamesTests {
    static let registries: [NamingConventions] = [
        .default, .github, .jsonAPI, NamingConventions(), .default.writing(.kebabCase), .default.writing(.pascalCase),
        .github.registering(json: "pr", swift: "pullRequest").registering(json: "repo", swift: "repository"),
    ]

    static let awkwardNames: [String] = [
        "", " ", "_", "__", "___", "_links", "__typename", "in_", "__a__", "+1", "-1", "foo_+1", "foo_-1", "+-1",
        "@timestamp",
        "$ref", "@id", "#text", "SPDXID", "mediaType", "image_72", "name ", " name", "a__b", "a___b", "a.b", "a/b",
        "a b",
        "class", "in", "default", "self", "Self", "Type", "init", "`class`", "identifier", "identifiers", "id", "_id",
        "id_",
        "id_1", "id1", "1_id", "url_1", "foo_url_2fa", "url_s", "url_url", "foo_url_url", "foo_url_id", "URL", "Url",
        "URLs",
        "urls", "1_clicks", "_1_clicks", "1", "2fa", "2_3", "a_b_c", "a_b_url", "url_a_b", "a_bs", "x_as_is", "a_is_b",
        "is_a_s",
        "größe", "straße_ß", "名前", "a_名_b", "名_a", "ǆ_ǆ", "İ_İ", "ა_ა", "ﬁ_ﬁ", "e\u{301}_e\u{301}", "\u{301}", "😀",
        "a😀b",
        "👨‍👩‍👧", "१_२", "½", "a\u{0}b", "a\r\nb", "\u{FEFF}id", "iPhone_model", "H2O", "ED25519", "node_id_url_ids",
        "content-type", "-a-", "a--b", "A-B", "fooBAR", "FooBar", "plus_one", "minus_one", "foo_plus_one",
        "pull_request",
        "repository_pr", "url_identifier", "AaA", "aAa_A", "ids_id", "s", "S_s", "a_URLS", "x_URLs_y",
        String(repeating: "url_", count: 300), String(repeating: "a_", count: 300),
        String(repeating: "URL", count: 300),
    ]

    /// Property names as APIs have them, and those that some are known for.
    static let realNames = names(in: "names")
    static let oddNames = names(in: "odd")

    private static func names(in folder: String) -> [String] {
        Bodies.files(in: [folder], withExtension: "txt").flatMap { file in
            (try? String(contentsOf: file, encoding: .utf8))?.split(separator: "\n").map(String.init) ?? []
        }
    }

    @Test(arguments: [.default, .github, .jsonAPI, NamingConventions()] as [NamingConventions])
    func `Names of real APIs keep the naming laws`(_ conventions: NamingConventions) {
        #expect(Self.realNames.count > (Bodies.corpus == nil ? 1_000 : 7_000))
        #expect(Self.oddNames.count > 100)
        expectLaws(for: Self.realNames + Self.oddNames, under: conventions)
    }

    @Test(arguments: registries)
    func `Awkward names keep the naming laws`(_ conventions: NamingConventions) {
        expectLaws(for: Self.awkwardNames, under: conventions)
    }

    @Test(arguments: registries)
    func `Random names keep the naming laws`(_ conventions: NamingConventions) {
        var random = SeededGenerator(seed: 7)
        let pieces = [
            "_", "_", "_", "-", "a", "b", "s", "A", "B", "S", "1", "2", "id", "ids", "url", "urls", "identifier", "URL",
            "ID",
            "s", "+", "ß", "名", "Ä", "ä", " ", ".", "foo", "Bar", "plus", "one", "pull", "request", "ﬁ", "ა", "Ა", "ǅ",
            "ſ",
        ]
        let names = (0..<2_000).map { _ in
            (0..<Int.random(in: 1...8, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
        }
        expectLaws(for: names, under: conventions)
    }

    /// Of the names of APIs in snake_case hardly any is an exception, and the classes name hardly more than there are.
    @Test func `Few names of real APIs are round-trip exceptions`() {
        let mapping = AttributeMapping(.github)
        let names = Set(Self.realNames)
        let changed = names.filter {
            mapping.jsonName(forSwiftName: mapping.swiftName(forJSONName: $0).name).name != $0
        }
        let classified = names.filter { !RoundTripException.classes(of: $0, under: .github).isEmpty }
        #expect(changed.count * 50 < names.count)
        #expect(classified.isSuperset(of: changed))
        #expect(classified.subtracting(changed).count * 500 < names.count, "\(classified.subtracting(changed))")
    }

    private func expectLaws(for names: [String], under conventions: NamingConventions) {
        let mapping = AttributeMapping(conventions)
        let violations = names.compactMap { name -> String? in
            let swift = mapping.swiftName(forJSONName: name).name
            let json = mapping.jsonName(forSwiftName: swift).name
            let swiftAgain = mapping.swiftName(forJSONName: json).name
            if swiftAgain != swift { return "\(name.debugDescription): \(swift) → \(json) → \(swiftAgain)" }
            if !swift.isSwiftIdentifier { return "\(name.debugDescription): \(swift) is no Swift name" }
            if json != name, RoundTripException.classes(of: name, under: conventions).isEmpty {
                return "\(name.debugDescription): becomes \(json.debugDescription), by no named class"
            }
            return nil
        }
        #expect(violations.isEmpty)
    }
}

extension String {
    /// Whether the text can be declared as a name in Swift, in backticks if need be.
    fileprivate var isSwiftIdentifier: Bool {
        let isMadeOfLetters = allSatisfy { $0 == "_" || $0.isLetter || ($0.isASCII && $0.isNumber) }
        return isMadeOfLetters && contains { $0 != "_" } && !(first?.isNumber ?? true)
    }
}
