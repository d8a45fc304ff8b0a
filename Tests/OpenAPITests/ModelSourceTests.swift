import Foundation
import ModelGenerator
import OpenAPIFiles
import TestSupport
import Testing

/// The Swift code of descriptions. The fixtures' generated code is compiled here, and used in `GeneratedModelsTests`.
@Suite struct ModelSourceTests {
    private func text(_ schemas: String, paths: String = "") throws -> String {
        let yaml = "openapi: 3.0.0\ninfo: { title: Test }\npaths:\(paths)\ncomponents:\n  schemas:\n\(schemas)"
        return ModelSource(try OpenAPIDescription(Data(yaml.utf8), named: "test.yaml")).text
    }

    /// The paths of a collection and one object of it.
    private func paths(_ noun: String, _ schema: String, key: String = "{id}") -> String {
        let reply = "{ responses: { \"200\": { content: { application/json: { schema: %@ } } } } }"
        let one = "{ $ref: \"#/components/schemas/\(schema)\" }"
        return """

              /\(noun): { get: \(reply.replacing("%@", with: "{ type: array, items: \(one) }")) }
              /\(noun)/\(key): { get: \(reply.replacing("%@", with: one)) }
            """
    }

    @Test(arguments: [("chirp.yaml", "Chirp"), ("till.json", "Till")])
    func `The models of a description are generated as the compiled files`(_ file: String, _ name: String) throws {
        let description = try DescriptionReadingTests.fixture(file)
        let compiled = ProjectFolder.test("OpenAPITests/Generated/\(name).swift")
        #expect(ModelSource(description).text == String(decoding: try Data(contentsOf: compiled), as: UTF8.self))
    }

    @Test func `A description gives the same models each time`() throws {
        let texts = try (1...3).map { _ in ModelSource(try DescriptionReadingTests.fixture("till.json")).text }
        #expect(Set(texts).count == 1)
    }

    @Test func `Names reserved by Swift or the library are replaced and kept as JSON names`() throws {
        let names = [
            "id", "self", "init", "context", "save", "properties", "description", "hash", "default", "class", "9lives",
            "$ref", "a b", "größe", "with.dot", "Type", "quote\\\"d",
        ]
        let properties = names.map { "        \"\($0)\": { type: string }" }.joined(separator: "\n")
        let code = try text(
            "    error:\n      type: object\n      properties:\n\(properties)\n", paths: paths("errors", "error"))
        for line in [
            "final class ErrorModel {", "    var identifier: String?",
            "    @Attribute(\"self\") var selfValue: String?",
            "    @Attribute(\"init\") var initValue: String?", "    @Attribute(\"context\") var contextValue: String?",
            "    @Attribute(\"save\") var saveValue: String?",
            "    @Attribute(\"properties\") var propertiesValue: String?",
            "    @Attribute(\"description\") var summary: String?",
            "    var `default`: String?", "    var `class`: String?", "    @Attribute(\"$ref\")",
            "    @Attribute(\"with\\\\.dot\")", "    @Attribute(\"quote\\\"d\")",
        ] {
            #expect(code.contains(line), "\(line)")
        }
    }

    @Test func `A schema with more properties than a model can have keeps its identity`() throws {
        let names = (100..<400).map { "a\($0)" } + ["id"]
        let properties = names.map { "        \($0): { type: string }" }.joined(separator: "\n")
        let code = try text(
            "    thing:\n      type: object\n      properties:\n\(properties)\n", paths: paths("things", "thing"))
        #expect(code.contains("    var identifier: String?"))
        #expect(code.contains("var a100: String?") && !code.contains("var a399: String?"))
    }

    @Test func `Properties that differ only in letter case or underscores get different names`() throws {
        let code = try text(
            """
                thing:
                  type: object
                  properties:
                    id: { type: integer }
                    address2: { type: string }
                    address_2: { type: string }
                    Address2: { type: string }
            """, paths: paths("things", "thing"))
        #expect(code.components(separatedBy: "var address").count == 4)
        #expect(Set(code.matches(of: /var (address\w*):/).map { $0.output.1.lowercased() }).count == 3)
    }

    @Test func `A class whose table name is taken gets another, and an unused schema is left out`()
        throws
    {
        let code = try text(
            """
                Tag: { type: object, properties: { id: { type: integer }, history: { type: array, items: { $ref: "#/components/schemas/Tag_History" } } } }
                Tag_History: { type: object, properties: { day: { type: string } } }
                Suggestion: { type: object, properties: { source: { type: string } } }
            """, paths: paths("tags", "Tag") + paths("suggestions", "Suggestion"))
        #expect(code.contains("@Model(table: \"tag_history_objects\", embedded: true)\nfinal class TagHistory {"))
        #expect(!code.contains("class Suggestion"))
    }

    @Test func `Variants of one schema become one class with the properties of all`() throws {
        let code = try text(
            """
                simple-user: { type: object, properties: { id: { type: integer }, login: { type: string } } }
                nullable-simple-user: { type: object, nullable: true, properties: { id: { type: integer }, login: { type: string } } }
                private-user: { type: object, properties: { id: { type: integer }, login: { type: string }, plan: { type: string } } }
                user-key: { type: object, properties: { id: { type: integer }, owner: { $ref: "#/components/schemas/nullable-simple-user" } } }
            """, paths: paths("users", "simple-user", key: "{username}") + paths("keys", "user-key"))
        #expect(code.components(separatedBy: "final class").count == 3)
        #expect(code.contains("@Model(\"/users\", key: \"login\")\nfinal class User {"))
        #expect(code.contains("var plan: String?"))
        #expect(code.contains("@Relationship(inverse: nil) var owner: User?"))
    }

    @Test func `A path below another's becomes a route through a relationship`() throws {
        let code = try text(
            """
                repository: { type: object, properties: { id: { type: integer }, full_name: { type: string } } }
                issue: { type: object, properties: { id: { type: integer }, number: { type: integer }, title: { type: string } } }
            """,
            paths: paths("repos/{owner}", "repository", key: "{repo}")
                + paths("repos/{owner}/{repo}/issues", "issue", key: "{issue_number}"))
        #expect(code.contains("@Model(\"/repos\", key: \"fullName\")\nfinal class Repository {"))
        #expect(code.contains("@Attribute(isPath: true) var fullName: String?"))
        #expect(code.contains("@Relationship(inverse: \"repository\") var issues: [Issue]"))
        #expect(code.contains("@Model(\"/repos/:repository.full_name/issues\", key: \"number\")\nfinal class Issue {"))
        #expect(code.contains("    var repository: Repository?"))
    }

    @Test func `A path with a parameter that no property matches is left out with a comment`() throws {
        let code = try text(
            "    report: { type: object, properties: { id: { type: integer } } }\n",
            paths: paths("enterprises/{enterprise}/reports", "report"))
        #expect(
            code.contains(
                "/// No property is sure to stand for {enterprise}: write the path in @Model, with :name for each"))
        #expect(code.contains("@Model\nfinal class Report {"))
    }

    @Test func `Line breaks and comment ends in a description stay within the comment`() throws {
        let code = try text(
            """
                thing:
                  type: object
                  description: "Two\\u2028lines */ and <script>"
                  properties: { id: { type: integer, description: "one\\u0085two" } }
            """, paths: paths("things", "thing"))
        #expect(code.contains("/// Two lines */ and"))
        for line in code.split(separator: "\n") { #expect(!line.hasPrefix("lines") && !line.hasPrefix("two")) }
    }

    @Test func `Enum cases get distinct names with their values`() throws {
        let code = try text(
            """
                thing:
                  type: object
                  properties:
                    id: { type: integer }
                    state: { type: string, enum: [open, "+1", "-1", "", in-progress, in_progress, OPEN, none, self, "3d"] }
                    object: { type: string, enum: [thing] }
            """, paths: paths("things", "thing"))
        #expect(code.contains("enum State: String {"))
        for name in [
            "plus1 = \"+1\"", "minus1 = \"-1\"", "empty = \"\"", "inProgress = \"in-progress\"",
            "inProgress2 = \"in_progress\"", "open2 = \"OPEN\"", "noneValue = \"none\"", "selfValue = \"self\"",
            "value3d = \"3d\"",
        ] {
            #expect(code.contains(name), "\(name)")
        }
        #expect(code.contains("var object: String?"))
    }
}
