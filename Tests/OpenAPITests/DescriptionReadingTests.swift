import Foundation
import OpenAPIFiles
import TestSupport
import Testing

/// Descriptions of services in JSON and YAML, right ones and wrong ones.
@Suite struct DescriptionReadingTests {
    static func read(_ text: String, named name: String = "api.yaml") throws(OpenAPIError) -> OpenAPIDescription {
        try OpenAPIDescription(Data(text.utf8), named: name)
    }

    static func fixture(_ name: String) throws -> OpenAPIDescription {
        try OpenAPIDescription(contentsOf: ProjectFolder.test("OpenAPITests/Fixtures/\(name)"))
    }

    // MARK: Reading

    @Test func `A description in YAML has its operations in the order of the file`() throws {
        let chirp = try Self.fixture("chirp.yaml")
        #expect("\(chirp)" == "Chirp (OpenAPI 3.1.0): 13 operations, 7 schemas, 0 problems")
        #expect(
            chirp.operations.prefix(3).map(\.description) == [
                "GET /api/v1/accounts/{id}", "GET /api/v1/accounts/verify_credentials",
                "GET /api/v1/accounts/{id}/statuses",
            ])
        #expect(chirp.operations[0].id == "getAccount")
        #expect(chirp.operations[0].summary == "Get an account")
        #expect(chirp.servers == ["https://chirp.example"])
    }

    @Test func `JSON and YAML of one description are read alike`() throws {
        let till = try Self.fixture("till.json")
        // JSON is YAML: a text is read as YAML unless it begins with a brace.
        let text = try String(contentsOf: ProjectFolder.test("OpenAPITests/Fixtures/till.json"), encoding: .utf8)
        let yaml = try Self.read("# as YAML\n" + text)
        #expect(yaml.operations.map(\.description) == till.operations.map(\.description))
        #expect(yaml.components == till.components)
        for name in till.components {
            let pointer = JSONPointer(["components", "schemas", name])
            let schemas = try [till, yaml].map { try $0.meaning(of: #require($0.schemas[pointer])) }
            #expect(schemas[0].properties.map(\.name) == schemas[1].properties.map(\.name))
        }
    }

    @Test func `A path's parameters belong to each of its operations`() throws {
        let chirp = try Self.fixture("chirp.yaml")
        for operation in chirp.operations where operation.path.hasSuffix("/{id}") {
            #expect(operation.parameters.map(\.name) == ["id"], "\(operation)")
            #expect(operation.parameters.allSatisfy { $0.isRequired })
        }
    }

    @Test func `YAML scalars are read by YAML 1_2`() throws {
        let description = try Self.read(
            """
            openapi: 3.0.0
            paths:
              /a:
                get:
                  deprecated: true
                  operationId: on
                  responses: { 200: { description: yes } }
            components:
              schemas:
                Kind: { type: string, enum: [on, "true", 2020-01-01, no] }
            """)
        #expect(description.operations[0].id == "on")
        #expect(description.operations[0].isDeprecated)
        #expect(description.operations[0].replies[0].status == "200")
        let kind = try #require(description.schemas[JSONPointer(["components", "schemas", "Kind"])])
        #expect(kind.enumeration.map(\.string) == ["on", "true", "2020-01-01", "no"])
    }

    @Test func `Anchors and merge keys of YAML are resolved`() throws {
        let description = try Self.read(
            """
            openapi: 3.0.0
            x-common: &common { type: object, description: Shared }
            paths: {}
            components:
              schemas:
                A: { <<: *common, properties: { a: { type: string } } }
            """)
        let schema = try #require(description.schemas[JSONPointer(["components", "schemas", "A"])])
        #expect(schema.about == "Shared")
        #expect(schema.types == ["object"])
        #expect(schema.properties.map(\.name) == ["a"])
    }

    @Test func `A merge key of YAML can list objects, of which the first wins`() throws {
        let description = try Self.read(
            """
            openapi: 3.0.0
            x-first: &first { type: object, description: First }
            x-second: &second { description: Second, properties: { b: { type: string } } }
            paths: {}
            components:
              schemas:
                A: { <<: [*first, *second] }
            """)
        let schema = try #require(description.schemas[JSONPointer(["components", "schemas", "A"])])
        #expect(schema.about == "First" && schema.types == ["object"])
        #expect(schema.properties.map(\.name) == ["b"])
    }

    @Test(arguments: [
        (#"{"type": "string", "nullable": true}"#, ["string"], true),
        (#"{"type": ["string", "null"]}"#, ["string"], true),
        (#"{"oneOf": [{"type": "null"}, {"type": "integer"}]}"#, ["integer"], true),
        (#"{"anyOf": [{"type": "string"}, {"type": "integer"}]}"#, ["string", "integer"], false),
        (#"{"properties": {"a": {}}}"#, ["object"], false), (#"{"const": "x"}"#, ["string"], false),
        (#"{"enum": [1, 2]}"#, ["integer"], false), (#"{"items": {"type": "string"}}"#, ["array"], false),
        ("{}", [], false),
        (#"{"allOf": [{"type": "object", "properties": {"a": {}}}, {"nullable": true}]}"#, ["object"], true),
    ])
    func `A schema's types are read without null`(_ schema: String, _ types: [String], _ isNullable: Bool) throws {
        let json = #"{"openapi": "3.1.0", "components": {"schemas": {"S": \#(schema)}}}"#
        let description = try Self.read(json)
        let meaning = description.meaning(
            of: try #require(description.schemas[JSONPointer(["components", "schemas", "S"])]))
        #expect(meaning.types == types)
        #expect(meaning.isNullable == isNullable)
    }

    @Test func `Parts of a schema are combined, and alternatives require no property`() throws {
        let description = try Self.read(
            """
            openapi: 3.0.0
            components:
              schemas:
                Base: { type: object, required: [id], properties: { id: { type: integer } } }
                Whole:
                  allOf: [{ $ref: "#/components/schemas/Base" }, { properties: { name: { type: string } } }]
                  required: [name]
                Early:
                  allOf: [{ required: [id] }, { properties: { id: { type: integer }, name: { type: string } } }]
                Either:
                  oneOf:
                    - { $ref: "#/components/schemas/Base" }
                    - { type: object, required: [key], properties: { key: { type: string } } }
            """)
        func properties(_ name: String) throws -> [String] {
            let schema = try #require(description.schemas[JSONPointer(["components", "schemas", name])])
            return description.meaning(of: schema).properties.map { $0.name + ($0.isRequired ? "!" : "") }
        }
        #expect(try properties("Whole") == ["id!", "name!"])
        #expect(try properties("Early") == ["id!", "name"])
        #expect(try properties("Either") == ["id", "key"])
    }

    // MARK: References

    @Test func `Schemas that refer to each other in a cycle are read`() throws {
        let description = try Self.read(
            """
            openapi: 3.0.0
            paths:
              /a: { get: { responses: { 200: { content: { application/json: { schema: { $ref: "#/components/schemas/A" } } } } } } }
            components:
              schemas:
                A: { allOf: [{ $ref: "#/components/schemas/B" }], properties: { a: { $ref: "#/components/schemas/A" } } }
                B: { oneOf: [{ $ref: "#/components/schemas/A" }, { $ref: "#/components/schemas/B" }] }
                C: { $ref: "#/components/schemas/D" }
                D: { $ref: "#/components/schemas/C" }
            """)
        #expect(description.problems == [])
        for schema in description.schemas.values {
            _ = description.meaning(of: schema)
            _ = description.resolved(schema)
            _ = description.componentName(of: schema)
            _ = description.content(of: schema)
        }
        let first = try #require(description.schemas[JSONPointer(["components", "schemas", "A"])])
        #expect(description.meaning(of: first).properties.map(\.name) == ["a"])
    }

    @Test func `A chain of references that is too long for the stack ends as any value`() throws {
        func names(_ length: Int) throws -> [String] {
            let links = (0..<length).map { index in
                ##"    S\##(index): { allOf: [{ $ref: "#/components/schemas/S\##(index + 1)" }] }"##
            }
            let last = "    S\(length): { type: object, properties: { id: { type: integer } } }"
            let description = try Self.read(
                (["openapi: 3.0.0", "components:", "  schemas:"] + links + [last]).joined(separator: "\n"))
            let first = try #require(description.schemas[JSONPointer(["components", "schemas", "S0"])])
            return description.meaning(of: first).properties.map(\.name)
        }
        #expect(try names(40) == ["id"])
        #expect(try names(2000) == [])
    }

    @Test func `A reference that can't be resolved is listed as a problem with its place`() throws {
        let description = try Self.read(
            """
            openapi: 3.0.0
            paths:
              /users/{id}:
                parameters: [{ $ref: "#/components/parameters/none" }, { $ref: "#/components/parameters/loop" }]
                get:
                  responses:
                    "200":
                      content: { application/json: { schema: { $ref: "#/components/schemas/Missing" } } }
                    "404": { $ref: "errors.yaml#/NotFound" }
              /other: { $ref: "#/paths/~1nowhere" }
            components:
              parameters:
                loop: { $ref: "#/components/parameters/loop" }
            """)
        #expect(description.operations.map(\.description) == ["GET /users/{id}"])
        #expect(
            description.problems.map(\.description) == [
                "#/paths/~1users~1{id}/parameters/0: the reference #/components/parameters/none leads nowhere; what it stands "
                    + "for is left out",
                "#/paths/~1users~1{id}/parameters/1: the reference #/components/parameters/loop leads back to itself; what it "
                    + "stands for is left out",
                "#/paths/~1users~1{id}/get/responses/404: the reference errors.yaml#/NotFound leads out of the file, which "
                    + "isn't followed; bundle the files into one",
                "#/paths/~1other: the reference #/paths/~1nowhere leads nowhere; what it stands for is left out",
                "#/paths/~1users~1{id}/get/responses/200/content/application~1json/schema: the reference "
                    + "#/components/schemas/Missing leads nowhere; the value may be anything",
            ])
    }

    @Test func `A schema elsewhere in the file is found by its pointer`() throws {
        let description = try Self.read(
            """
            openapi: 3.0.0
            paths:
              /a/b:
                get:
                  responses:
                    "200": { content: { application/json: { schema: { type: object, properties: { id: {}, x: {} } } } } }
              /c:
                get:
                  responses:
                    "200":
                      content:
                        application/json:
                          schema: { $ref: "#/paths/~1a~1b/get/responses/200/content/application~1json/schema" }
            """)
        let schema = try #require(description.operations.last?.replySchema)
        #expect(description.meaning(of: schema).properties.map(\.name) == ["id", "x"])
    }

    // MARK: Unreadable files

    @Test(arguments: [
        ("", "is no OpenAPI description: it has no \"openapi\" with a version"),
        ("[1, 2]", "is no OpenAPI description"),
        (#"{"swagger": "2.0"}"#, "is a description in Swagger 2.0, which can't be read. Convert it"),
        (#"{"openapi": "4.0.0"}"#, "is a description in OpenAPI 4.0.0, which can't be read"),
        (#"{"openapi": "3.0.0", "paths": [}"#, "can't be read: "),
        ("openapi: 3.0.0\npaths: [", "can't be read: "),
        ("openapi: *nothing", "can't be read: "),
    ])
    func `A text that is no description is an error with the file's name and an explanation`(
        _ text: String, _ message: String
    ) {
        let error = #expect(throws: OpenAPIError.self) { try Self.read(text) }
        #expect("\(error.map(\.description) ?? "")".contains(message))
        #expect("\(error.map(\.description) ?? "")".contains("api.yaml"))
    }

    @Test func `A missing file is reported by its name`() {
        let error = #expect(throws: OpenAPIError.self) {
            try OpenAPIDescription(contentsOf: URL(filePath: "/nowhere/petstore.json"))
        }
        #expect(error?.description == "The description petstore.json can't be read: there is no such file.")
    }

    @Test(arguments: [
        (#"{"openapi": "3.0.0", "paths": []}"#, "#/paths: the paths are no object; no operation is read"),
        (
            #"{"openapi": "3.0.0", "paths": {"a": {}}}"#,
            "#/paths/a: a path begins with a slash; its operations are left out"
        ),
        (
            #"{"openapi": "3.0.0", "paths": {"/a": {"get": 1}}}"#,
            "#/paths/~1a/get: an operation is an object; it is left out"
        ),
        (#"{"openapi": "3.0.0", "paths": {"/a": 1}}"#, "#/paths/~1a: this is no object; it is left out"),
        (
            #"{"openapi": "3.0.0", "paths": {"/a": {"parameters": [{}]}}}"#,
            "#/paths/~1a/parameters/0: a parameter has \"name\" and \"in\"; it is left out"
        ),
        (#"{"openapi": "3.0.0"}"#, "#: there are neither paths nor components"),
    ])
    func `A malformed part of a description is left out and listed as a problem`(_ text: String, _ problem: String)
        throws
    {
        #expect(try Self.read(text).problems.map(\.description) == [problem])
    }

    @Test(arguments: ["{\"a\":", "[", "{\"a\": {\"properties\": "])
    func `A JSON description that nests too deep is refused`(_ opening: String) {
        let text =
            #"{"openapi": "3.0.0", "components": {"schemas": {"S": "# + String(repeating: opening, count: 100_000)
        #expect(throws: OpenAPIError.self) { try Self.read(text) }
    }

    @Test(arguments: ["- ", "? ", "[", "{a: "])
    func `A YAML description that nests too deep is refused`(_ opening: String) {
        #expect(throws: OpenAPIError.self) {
            try Self.read("openapi: 3.0.0\nx:\n  " + String(repeating: opening, count: 100_000))
        }
        // Less than libyaml itself refuses. Keys of keys are skipped.
        guard opening != "? " else { return }
        #expect(throws: OpenAPIError.self) {
            try Self.read("openapi: 3.0.0\nx:\n  " + String(repeating: opening, count: 300) + "1")
        }
    }

    @Test func `YAML aliases that expand to too many values are refused`() {
        let lines = (1...9).map { level in
            "  a\(level): &a\(level) [\(Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", "))]"
        }
        let text =
            "openapi: 3.0.0\nx-bomb:\n  a0: &a0 [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\n" + lines.joined(separator: "\n")
        let error = #expect(throws: OpenAPIError.self) { try Self.read(text) }
        #expect(error?.description.contains("with its aliases written out it has more than 5000000 values") == true)
    }
}
