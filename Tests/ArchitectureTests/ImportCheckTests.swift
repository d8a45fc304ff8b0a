import Testing

/// The check itself: it finds exactly the imports.
@Suite struct ImportCheckTests {
    struct Planted: Sendable, CustomTestStringConvertible {
        let module: String
        let path: String
        let text: String
        var testDescription: String { "\(text) in \(path)" }
    }

    @Test(arguments: [
        Planted(module: "Conventions", path: "Conventions/Names/Word.swift", text: "import Foundation"),
        Planted(module: "JSONBytes", path: "Sources/JSONBytes/Bytes.swift", text: "import Synchronization"),
        Planted(module: "RestfulData", path: "Sources/RestfulData/API.swift", text: "package import GRDB"),
        Planted(module: "ObjectStore", path: "Sources/ObjectStore/Store/Store.swift", text: "import RESTTransport"),
        Planted(module: "ObjectStore", path: "Sources/ObjectStore/Import/Plan.swift", text: "import struct GRDB.Row"),
        Planted(
            module: "RESTTransport", path: "Sources/RESTTransport/Transport.swift",
            text: "@preconcurrency import AsyncHTTPClient"),
        Planted(
            module: "RESTTransport", path: "Sources/RESTTransport/Clients/Client.swift",
            text: "@_exported public import ObjectStore"),
        Planted(
            module: "SampleGitHubAPI", path: "SampleGitHubAPI/Program/Main.swift",
            text: "import RestfulData; import ObjectStore"),
    ])
    func `A planted import that a module may not have is found`(_ planted: Planted) throws {
        let rule = try #require(ModuleGraph.rules.first { $0.name == planted.module })
        let file = SourceFile(path: planted.path, text: "// A file.\n#if true\n    \(planted.text)\n#endif\n")
        let violations = rule.violations(in: [file])
        #expect(violations.count == 1)
        #expect(violations.first?.hasPrefix("\(planted.path):3: ") == true)
    }

    @Test(arguments: [
        "import Foundation": ["Foundation"],
        "public import struct Foundation.URL": ["Foundation"],
        "@_spi(Testing) @preconcurrency internal import NIOCore // for the loop": ["NIOCore"],
        "import A; import B": ["A", "B"],
        "/// import RestfulData": [],
        "// import GRDB": [],
        "/*\nimport GRDB\n*/\nimport A": ["A"],
        "let help = \"\"\"\nimport GRDB\n\"\"\"\nimport A": ["A"],
        "let importer = 1\nimported()": [],
    ])
    func `Import declarations of every form are recognized`(_ text: String, _ modules: [String]) {
        #expect(SourceFile(path: "A.swift", text: text).imports.map(\.module) == modules)
    }
}
