import Foundation
import ServiceFiles
import ServiceGenerator
import TestSupport
import Testing

/// The Swift code of service files. The fixture's generated code is compiled and called in `GeneratedServiceTests`.
@Suite struct ServiceGeneratorTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

    private func text(
        _ json: String, named name: String = "test.json", _ change: (inout ServiceSource.Options) -> Void = { _ in }
    ) throws -> String {
        var options = ServiceSource.Options()
        change(&options)
        return try ServiceSource(ServiceFile.Source(json: Array(json.utf8), named: name), options).text
    }

    private func problem(_ json: String, _ change: (inout ServiceSource.Options) -> Void = { _ in }) -> String {
        do {
            _ = try text(json, change)
            return "none"
        } catch { return "\(error)" }
    }

    @Test func `The service of a file is generated as the compiled file`() throws {
        let file = Self.folder.appending(path: "Fixtures/clinic-service.json")
        let compiled = Self.folder.appending(path: "../RestfulDataTests/Services/Generated/ClinicService.swift")
        var options = ServiceSource.Options()
        options.decodableTypes = ["Receipt", "Pharmacy"]
        let text = try ServiceSource(ServiceFile.Source(json: file), options).text
        #expect(text == String(decoding: try Data(contentsOf: compiled), as: UTF8.self))
    }

    @Test func `The generated type has the requested name and access`() throws {
        let ping = #"{"ping": {"request": {"path": "/ping"}}}"#
        #expect(try text(ping, named: "my_web-service.v2.plist").contains("struct MyWebService: Sendable {"))
        let library = try text(ping) { ($0.typeName, $0.access) = ("Health", "public") }
        for line in [
            "public import RestfulData", "public struct Health: Sendable {", "    public let service: WebService",
            "    public init(api: API", "    public nonisolated(nonsending) func ping(",
        ] {
            #expect(library.contains(line), "\(line)")
        }
        let code = try text(ping) { $0.access = "package" }
        #expect(code.contains("\npackage import RestfulData\n") && !code.contains("public"))
    }

    @Test func `Generated parameters have distinct names that Swift accepts`() throws {
        let json = """
            {"find": {"request": {"path": "/find?X-Mode=%0&x_mode=%1&context=%2&settings=%3&for=%4", "header": {"8": "%5"}}}}
            """
        let code = try text(json)
        for parameter in [
            "_ xMode: any RouteValueConvertible", "_ xMode2:", "_ context2:", "_ settings2:", "_ `for`:",
            "_ argument6:",
        ] {
            #expect(code.contains(parameter), "\(parameter)")
        }
        #expect(code.contains("service.find(xMode, xMode2, context2, settings2, `for`, argument6, with: settings)"))
    }

    @Test func `Quotes and line breaks of a file stay within the generated comment and literal`() throws {
        let json = ##"{"note": {"about": "Two\nlines \"\"\"# and \\#(1)", "request": {"path": "/note"}}}"##
        let code = try text(json)
        #expect(code.contains("    /// Two\n    /// lines "))
        // In the comments of two functions, and at the end of the literal.
        #expect(code.components(separatedBy: "\"\"\"#").count == 4)
        #expect(code.contains(##""about" : "Two\nlines \"\"\"# and \\#(1)""##))
    }

    @Test func `Backslashes and line breaks of values stay within the generated literal and comment`() throws {
        let json =
            ###"{"find": {"request": {"path": "/f", "method": "POST", "parameters": {"a\nb": "\\#(x) \\##y\n%0"}}}}"###
        let code = try text(json)
        #expect(code.contains("private static let file = ###\"\"\"\n"))
        #expect(code.contains("/// `POST /f (parameters: a b=\\#(x) \\##y %0)`\n"))
        // Only modules that the declarations need are imported.
        #expect(try !text(json) { $0.access = "package" }.contains("import Foundation"))
    }

    @Test func `Mistakes of a file, and names that no type can have, are reported`() {
        #expect(problem(#"{"a": {"request": {"pth": "/"}}}"#).contains(#"did you mean "path"?"#))
        let ping = #"{"ping": {"request": {"path": "/ping"}}}"#
        #expect(problem(ping) { $0.typeName = "class" }.contains(#""class" is no name of a Swift type"#))
        #expect(problem(ping) { $0.typeName = "9" }.contains(#""9" is no name of a Swift type"#))
        #expect(problem(ping) { $0.typeName = "API" }.contains(#""API" is a type that the code uses"#))
        for result in ["not a type", "User?", "[[User]]", "", "Us-er"] {
            let json = #"{"a": {"request": {"path": "/"}, "serialization": {"serializedObject": "\#(result)"}}}"#
            #expect(problem(json).contains("is neither the name of a type nor a list of one"), "\(result)")
        }
        #expect(problem(#"{"_": {"request": {"path": "/"}}}"#).contains(#""_" is no name of a Swift method"#))
        let arguments = #"{"a": {"request": {"path": "/?name=%0"}, "arguments": {"nme": "String"}}}"#
        #expect(problem(arguments).contains(#"there is no argument "nme"; did you mean "name"?"#))
        let type = #"{"a": {"request": {"path": "/?name=%0"}, "arguments": {"name": "a; b"}}}"#
        #expect(problem(type).contains(#""a; b" is no Swift type"#))
        let list = #"{"a": {"request": {"path": "/?name=%0"}, "arguments": ["String"]}}"#
        #expect(problem(list).contains("the types of arguments are an object"))
        // A reader is the program's own, and unknown to the generator.
        let reader = #"{"a": {"request": {"path": "/"}, "serialization": {"serializator": "Own"}}}"#
        #expect(problem(reader) == "none")
    }
}
