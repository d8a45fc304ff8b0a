import Foundation
import Testing

/// The article "Cookbook" consists of code that tests run.
@Suite struct CookbookArticleTests {
    /// Pieces of code by the title of their recipe, in their order.
    typealias Recipes = [String: [String]]

    /// The number of lines of a recipe.
    private static let lengths = 3...15

    @Test func `The code of each recipe in the cookbook is the code that its test runs`() throws {
        let article = Self.recipes(inArticle: try Self.text("Sources/RestfulData/Documentation.docc/Cookbook.md"))
        let tests = try Self.recipesInTests()
        #expect(article.count == 41, "forty recipes, and the models of the overview")
        #expect(Self.differences(article, tests) == [])
    }

    @Test func `Every recipe of the cookbook has 3 to 15 lines`() throws {
        let others = try Self.recipesInTests().filter { title, pieces in
            let count = pieces.joined(separator: "\n").split(separator: "\n").count
            return title != "Overview" && !Self.lengths.contains(count)
        }
        #expect(others.keys.sorted() == [])
    }

    @Test func `Code that differs from its test, or has none, is found in an article`() {
        let article = """
            # Cookbook

            ## Fetching

            ### Fetch a user

            ```swift
            if true {
                fetch()
            }
            ```

            ### Delete a user

            ```swift
            remove()
            ```
            ```
            more()
            ```

            ### Save a user
            """
        let tests = """
            // recipe: Fetch a user
            // end
                // recipe: Fetch a user
                if true {
                    fetch()
                }
                // end
            // recipe: Delete a user
            delete()
            // end
            // recipe: Save a user
            save()
            // end
            """
        let (found, run) = (Self.recipes(inArticle: article), Self.recipes(inTests: tests))
        #expect(found["Fetch a user"] == ["if true {\n    fetch()\n}"])
        #expect(run["Fetch a user"] == ["", "if true {\n    fetch()\n}"])
        #expect(found["Delete a user"] == ["remove()", "more()"])
        #expect(
            Self.differences(found, run) == [
                "Delete a user: the article has\nremove()\n…\nmore()\nand the tests have\ndelete()",
                "Fetch a user: the article has\nif true {\n    fetch()\n}\nand the tests have\n"
                    + "\n…\nif true {\n    fetch()\n}",
                "Save a user: the article has\n\nand the tests have\nsave()",
            ])
    }

    // MARK: Reading

    private static let root = (1...3).reduce(URL(filePath: #filePath).resolvingSymlinksInPath()) { url, _ in
        url.deletingLastPathComponent()
    }

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    private static func recipesInTests() throws -> Recipes {
        let folder = "Tests/RestfulDataTestingTests"
        let names = try FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path)
        let others = ["CookbookArticleTests.swift"]
        var all: Recipes = [:]
        for name in names.sorted() where name.hasPrefix("Cookbook") && !others.contains(name) {
            all.merge(recipes(inTests: try text("\(folder)/\(name)"))) { $0 + $1 }
        }
        return all
    }

    /// Every block of code, by the heading above it.
    private static func recipes(inArticle text: String) -> Recipes {
        var (recipes, title, block): (Recipes, String, [Substring]?) = ([:], "", nil)
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                if let lines = block { recipes[title, default: []].append(lines.joined(separator: "\n")) }
                block = block == nil ? [] : nil
            } else if block != nil {
                block?.append(line)
            } else if line.hasPrefix("#") {
                title = line.drop { $0 == "#" }.trimmingCharacters(in: .whitespaces)
            }
        }
        return recipes
    }

    /// The code between `// recipe: Title` and `// end`, without the indentation of the first marker.
    private static func recipes(inTests text: String) -> Recipes {
        let marker = "// recipe: "
        var (recipes, title, block, indentation): (Recipes, String, [Substring]?, Int) = ([:], "", nil, 0)
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let code = line.drop { $0 == " " }
            if code.hasPrefix(marker) {
                (title, block) = (String(code.dropFirst(marker.count)), [])
                indentation = line.count - code.count
            } else if code == "// end" {
                if let lines = block { recipes[title, default: []].append(lines.joined(separator: "\n")) }
                block = nil
            } else {
                block?.append(line.dropFirst(min(indentation, line.count - code.count)))
            }
        }
        return recipes
    }

    private static func differences(_ article: Recipes, _ tests: Recipes) -> [String] {
        Set(article.keys).union(tests.keys).sorted().compactMap { title in
            let (written, run) = (article[title] ?? [], tests[title] ?? [])
            guard written != run else { return nil }
            let texts = [written, run].map { $0.joined(separator: "\n…\n") }
            return "\(title): the article has\n\(texts[0])\nand the tests have\n\(texts[1])"
        }
    }
}
