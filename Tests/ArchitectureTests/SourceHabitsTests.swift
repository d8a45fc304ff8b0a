import Foundation
import Testing

/// Habits that every source keeps, each with a planted breach.
@Suite struct SourceHabitsTests {
    struct Habit: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let breach: String
        let breaches: @Sendable (SourceFile) -> [String]
    }

    @Test(arguments: habits)
    func `Every source file keeps each coding habit`(_ habit: Habit) throws {
        try #require(Project.sources.count > 100)
        #expect(Project.sources.flatMap(habit.breaches) == [])
    }

    @Test(arguments: habits)
    func `A planted breach of each coding habit of sources is found`(_ habit: Habit) {
        #expect(habit.breaches(SourceFile(path: "A.swift", text: "let a = 1\n\(habit.breach)\n")).count == 1)
    }

    static let habits: [Habit] = [
        Habit(
            testDescription: "nothing is left to do", breach: "// TODO: close it",
            breaches: { file in file.lines { line in ["TODO", "FIXME", "XXX"].contains { line.contains($0) } } }),
        Habit(
            testDescription: "under 600 lines", breach: String(repeating: "\n", count: 600),
            breaches: { $0.lines.count > 600 ? ["\($0.path): \($0.lines.count) lines"] : [] }),
        Habit(
            testDescription: "what could trap or race says why it can't", breach: "let b = try! c()",
            breaches: unprovenTraps),
        Habit(
            testDescription: "known hosts only", breach: "let d = \"https://telemetry.invalid/collect\"",
            breaches: { file in file.lines { line in !line.hosts.allSatisfy { $0.isKnownHost(in: line) } } }),
        Habit(
            testDescription: "services' documentation in comments only",
            breach: "let d = \"https://docs.stripe.com/api\" // https://docs.stripe.com/api",
            breaches: { file in file.lines { line in !line.hosts.allSatisfy { $0.isKnownHost(in: line) } } }),
    ]

    private static let traps = [
        "fatalError(", "precondition(", "preconditionFailure(", "try!", "@unchecked", "nonisolated(unsafe)",
    ]

    /// Lines with code that the compiler leaves unchecked, and that lack a comment there or in the few lines above.
    @Sendable private static func unprovenTraps(_ file: SourceFile) -> [String] {
        let code = file.lines.map { $0.prefix(upTo: $0.firstRange(of: "//")?.lowerBound ?? $0.endIndex) }
        return code.indices.filter { index in
            guard traps.contains(where: { code[index].contains($0) }) else { return false }
            return !file.lines[max(0, index - 4)...index].contains { $0.contains("//") }
        }.map { "\(file.path):\($0 + 1): \(file.lines[$0].trimmingCharacters(in: .whitespaces))" }
    }
}

extension Substring {
    /// The hosts of the URLs that are written in full. Templates and interpolations are skipped.
    fileprivate var hosts: [Substring] {
        guard contains("://") else { return [] }
        return matches(of: /https?:\/\/(?<host>[A-Za-z0-9\-]+(\.[A-Za-z0-9\-]+)+)/).map(\.output.host)
    }

    /// GitHub's, loopback, those reserved for examples, and the references of comments.
    ///
    /// - Parameter line: the whole line. The documentation of services may only be named in comments.
    fileprivate func isKnownHost(in line: Substring) -> Bool {
        let documentation = [
            "developers.cloudflare.com", "docs.gitlab.com", "docs.joinmastodon.org", "docs.oasis-open.org",
            "docs.spring.io", "docs.strapi.io", "docs.stripe.com", "google.aip.dev", "hl7.org", "laravel.com",
            "protobuf.dev", "techdocs.akamai.com",
        ]
        let isComment = line.drop { $0 == " " }.hasPrefix("//")
        if isComment, documentation.contains(where: { self == $0 }) { return true }
        let known = [
            "127.0.0.1", "django-rest-framework.org", "github.com", "githubusercontent.com", "github.blog", "example",
            "example.com", "example.org",
            "howardhinnant.github.io", "w3c.github.io", "opentelemetry.io", "ietf.org", "jsonapi.org", "json.org",
            "rfc-editor.org", "sqlite.org",
            "swift.org",
            "unicode.org", "w3.org", "whatwg.org",
        ]
        return known.contains { self == $0 || hasSuffix(".\($0)") }
    }
}
