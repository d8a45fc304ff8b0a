import Foundation
import RestfulData
import TestSupport
import Testing

/// The article on conventions against the conventions themselves.
@Suite struct StyleTableTests {
    private static func article() throws -> [String] {
        let path = "Sources/RestfulData/Documentation.docc/ServiceConventions.md"
        let text = try String(contentsOf: ProjectFolder.root.appending(path: path), encoding: .utf8)
        return text.components(separatedBy: "\n")
    }

    @Test func `The article's table of settings has each setting's default and its value in each style`() throws {
        let lines = try Self.article()
        let head = try #require(lines.firstIndex { $0.hasPrefix("| setting | default |") })
        let table = lines[(head + 2)...].prefix { $0.hasPrefix("|") }
        #expect(Array(table) == StyleSettings.rows, "the table is to be\n\(StyleSettings.rows.joined(separator: "\n"))")
    }

    @Test func `The table of settings knows every setting of the conventions`() {
        let stored = Set(Mirror(reflecting: APIConventions.default).children.compactMap(\.label))
        #expect(stored == StyleSettings.names)
        let urls = Set(Mirror(reflecting: APIConventions.URLs.plain).children.compactMap(\.label))
        let envelopes = Set(Mirror(reflecting: APIConventions.Envelopes.none).children.compactMap(\.label))
        #expect(urls == ["endInSlash", "escapeSlashes", "paths", "keysAreNames"])
        #expect(envelopes == ["object", "list", "element", "sent"])
    }

    @Test func `The article names every ready-made style`() throws {
        let text = try Self.article().joined(separator: "\n")
        for style in StyleSettings.styles.map(\.name) + ["rails"] {
            #expect(text.contains("| ``APIConventions/\(style)``"), "\(style) is missing")
        }
    }
}
