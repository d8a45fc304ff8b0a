import Foundation
import TestSupport
import Testing

/// The code in the README is compiled: each block below a line `<!-- compiled: name -->` equals the contents of the
/// type in `Readme/Name.swift`, except for the imports, which are above the type.
@Suite struct ReadmeTests {
    @Test func `Each marked block of the README is compiled as it stands`() throws {
        let readme = try String(contentsOf: ProjectFolder.root.appending(path: "README.md"), encoding: .utf8)
        let blocks = Self.markedBlocks(of: readme)
        #expect(Set(blocks.keys) == ["Example", "Styles"])
        for (name, block) in blocks {
            let source = try String(
                contentsOf: ProjectFolder.test("RestfulDataTests/Readme/\(name).swift"), encoding: .utf8)
            #expect(Self.code(of: block) == Self.body(of: name, in: source))
            #expect(Self.imports(of: block) == Self.imports(of: source))
        }
    }

    @Test func `A block of the README that differs from the compiled code is found`() {
        let readme = "# A\n<!-- compiled: thing -->\n```swift\nimport B\n\nlet a = 1\n```\n```swift\nlet c = 2\n```\n"
        let blocks = Self.markedBlocks(of: readme)
        #expect(blocks == ["Thing": ["import B", "", "let a = 1"]])
        #expect(Self.code(of: blocks["Thing"] ?? []) == ["let a = 1"])
        #expect(Self.body(of: "Thing", in: "import B\nstruct Thing {\n    let a = 2\n}\n") == ["let a = 2"])
    }

    private static func lines(of text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// By the marker's name, with a capital letter.
    private static func markedBlocks(of text: String) -> [String: [String]] {
        let lines = lines(of: text)
        var blocks: [String: [String]] = [:]
        for (place, line) in lines.enumerated() {
            guard let marker = line.wholeMatch(of: /<!-- compiled: (\w+) -->/),
                lines[place...].dropFirst().first == "```swift"
            else { continue }
            blocks[marker.output.1.prefix(1).uppercased() + marker.output.1.dropFirst()] = Array(
                lines[(place + 2)...].prefix { $0 != "```" })
        }
        return blocks
    }

    private static func imports(of lines: [String]) -> [String] { lines.filter { $0.hasPrefix("import ") } }

    private static func imports(of source: String) -> [String] { imports(of: lines(of: source)) }

    private static func code(of block: [String]) -> [String] {
        Array(block.filter { !$0.hasPrefix("import ") }.drop(while: \.isEmpty))
    }

    /// The text between the braces of a type at the end of a file, without the indentation.
    private static func body(of type: String, in source: String) -> [String] {
        lines(of: source).drop { $0 != "struct \(type) {" }.dropFirst().prefix { $0 != "}" }.map {
            String($0.dropFirst($0.hasPrefix("    ") ? 4 : 0))
        }
    }
}
