/// The modules and the arrows between them, as ARCHITECTURE.md draws them.
///
/// ```
/// Conventions ───┬─→ ModelExpansion ─→ RestfulDataMacros ─┐
///                ├─→ RESTTransport ─→ RestfulDataMetrics  │
///                │         └──────────────────────────────┤
///                └─→ ObjectStore ─────────────────────────┼─→ RestfulData ─→ RestfulDataUI, RestfulDataTesting, RestfulDataXML, RestfulDataYAML, SampleGitHubAPI
/// JSONBytes ─────┬─→ ObjectStore ←─ ReferenceCounts       │
///                ├───────────────────────────────────────→┤
///                └─→ ServiceFiles ───────────────────────→┘
/// RestfulDataTesting → RestfulDataTestingTraits, RestfulDataTestingLoopback
/// CZlib ───────────→ RESTTransport
/// ServiceFiles ────→ YAMLServiceFiles → RestfulDataYAML
/// ServiceFiles ────→ ServiceGenerator → ServiceGeneratorTool, which a command plugin runs
/// JSONBytes ───────→ OpenAPIFiles ─┬─→ RestfulDataOpenAPI, which needs RestfulData, too
///                                  └─→ ModelGenerator ─→ ModelGeneratorTool, which a command plugin runs
/// GeneratedCode ───→ ServiceGenerator, ModelGenerator, RestfulDataOpenAPI
/// ```
///
/// Apart from them stand TestSupport and OutboxProgram, which tests alone depend on.
enum ModuleGraph {
    static let rules: [ModuleRule] = [
        ModuleRule(name: "Conventions", folder: "Conventions", usesPlatform: false),
        ModuleRule(name: "JSONBytes", folder: "Sources/JSONBytes", usesPlatform: false),
        ModuleRule(
            name: "ModelExpansion", folder: "Sources/ModelExpansion", modules: ["Conventions"],
            external: [
                "SwiftDiagnostics": [], "SwiftSyntax": [], "SwiftSyntaxBuilder": [], "SwiftSyntaxMacros": [],
            ],
            packages: ["swift-syntax"], usesPlatform: false),
        ModuleRule(
            name: "RestfulDataMacros", folder: "Sources/RestfulDataMacros", modules: ["ModelExpansion"],
            external: ["SwiftCompilerPlugin": [], "SwiftSyntaxMacros": []],
            packages: ["swift-syntax"], usesPlatform: false),
        // A header of the Swift runtime's functions.
        ModuleRule(name: "ReferenceCounts", folder: "Sources/ReferenceCounts", usesPlatform: false, isHeader: true),
        ModuleRule(name: "CZlib", folder: "Sources/CZlib", usesPlatform: false, isHeader: true),
        ModuleRule(
            name: "ObjectStore", folder: "Sources/ObjectStore",
            modules: ["Conventions", "JSONBytes", "ReferenceCounts"],
            external: ["GRDB": ["SQLite", "File"], "GRDBSQLite": []], packages: ["GRDB.swift"]),
        ModuleRule(
            name: "RESTTransport", folder: "Sources/RESTTransport", modules: ["Conventions", "CZlib"],
            external: [
                "HTTPTypes": [], "Logging": [], "Crypto": ["Authentication", "Clients"],
                "CryptoKit": ["Authentication"],
                "AsyncHTTPClient": ["Clients"], "FoundationNetworking": ["Clients"], "NIOCore": ["Clients"],
                "NIOHPACK": ["Clients"], "NIOHTTP1": ["Clients"], "NIOHTTP2": ["Clients"],
                "NIOHTTPCompression": ["Clients"], "NIOPosix": ["Clients"], "NIOSSL": ["Clients"],
            ],
            packages: [
                "async-http-client", "swift-crypto", "swift-http-types", "swift-log", "swift-nio", "swift-nio-extras",
                "swift-nio-http2", "swift-nio-ssl",
            ]),
        ModuleRule(
            name: "ServiceFiles", folder: "Sources/ServiceFiles", modules: ["Conventions", "JSONBytes"],
            external: ["HTTPTypes": []], packages: ["swift-http-types"]),
        ModuleRule(
            name: "YAMLServiceFiles", folder: "Sources/YAMLServiceFiles", modules: ["JSONBytes", "ServiceFiles"],
            external: ["Yams": []], packages: ["Yams"]),
        ModuleRule(name: "GeneratedCode", folder: "Sources/GeneratedCode"),
        ModuleRule(
            name: "ServiceGenerator", folder: "Sources/ServiceGenerator", modules: ["GeneratedCode", "ServiceFiles"]),
        ModuleRule(
            name: "ServiceGeneratorTool", folder: "Sources/ServiceGeneratorTool",
            modules: ["GeneratedCode", "ServiceFiles", "ServiceGenerator", "YAMLServiceFiles"],
            external: ["ArgumentParser": []], packages: ["swift-argument-parser"]),
        ModuleRule(
            name: "OpenAPIFiles", folder: "Sources/OpenAPIFiles", modules: ["JSONBytes"], external: ["Yams": []],
            packages: ["Yams"]),
        ModuleRule(
            name: "ModelGenerator", folder: "Sources/ModelGenerator",
            modules: ["Conventions", "GeneratedCode", "OpenAPIFiles"]),
        ModuleRule(
            name: "ModelGeneratorTool", folder: "Sources/ModelGeneratorTool",
            modules: ["GeneratedCode", "ModelGenerator", "OpenAPIFiles"], external: ["ArgumentParser": []],
            packages: ["swift-argument-parser"]),
        ModuleRule(
            name: "GenerateModels", folder: "Plugins/GenerateModels", plugins: ["ModelGeneratorTool"],
            external: ["PackagePlugin": []]),
        ModuleRule(
            name: "GenerateService", folder: "Plugins/GenerateService", plugins: ["ServiceGeneratorTool"],
            external: ["PackagePlugin": []]),
        ModuleRule(
            name: "RestfulData", folder: "Sources/RestfulData",
            modules: ["Conventions", "JSONBytes", "ObjectStore", "RESTTransport", "ServiceFiles"],
            plugins: ["RestfulDataMacros"],
            external: ["HTTPTypes": [], "Logging": [], "Crypto": ["Freshness"], "CryptoKit": ["Freshness"]],
            packages: ["swift-http-types", "swift-log", "swift-crypto"]),
        ModuleRule(
            name: "RestfulDataUI", folder: "Sources/RestfulDataUI", modules: ["RestfulData"], external: ["SwiftUI": []]),
        ModuleRule(
            name: "RestfulDataTesting", folder: "Sources/RestfulDataTesting", modules: ["RestfulData"],
            external: ["HTTPTypes": []], packages: ["swift-http-types"]),
        ModuleRule(
            name: "RestfulDataTestingTraits", folder: "Sources/RestfulDataTestingTraits",
            modules: ["RestfulData", "RestfulDataTesting"], external: ["Testing": []]),
        ModuleRule(
            name: "RestfulDataTestingLoopback", folder: "Sources/RestfulDataTestingLoopback",
            modules: ["RestfulData", "RestfulDataTesting"],
            external: ["FlyingFox": [], "FlyingSocks": [], "HTTPTypes": []],
            packages: ["FlyingFox", "swift-http-types"]),
        ModuleRule(
            name: "RestfulDataMetrics", folder: "Sources/RestfulDataMetrics", modules: ["RESTTransport"],
            external: ["CoreMetrics": [], "HTTPTypes": [], "Instrumentation": [], "Tracing": []],
            packages: ["swift-distributed-tracing", "swift-http-types", "swift-metrics"]),
        ModuleRule(
            name: "RestfulDataXML", folder: "Sources/RestfulDataXML", modules: ["RestfulData"],
            external: ["XMLCoder": []], packages: ["XMLCoder"]),
        ModuleRule(
            name: "RestfulDataYAML", folder: "Sources/RestfulDataYAML",
            modules: ["RestfulData", "ServiceFiles", "YAMLServiceFiles"]),
        ModuleRule(
            name: "RestfulDataOpenAPI", folder: "Sources/RestfulDataOpenAPI",
            modules: ["Conventions", "GeneratedCode", "ObjectStore", "OpenAPIFiles", "RestfulData"]),
        ModuleRule(
            name: "GitHubServer", folder: "SampleGitHubAPI/GitHubServer",
            external: ["FlyingFox": [], "FlyingSocks": []], packages: ["FlyingFox"], isOutside: true),
        ModuleRule(
            name: "SampleGitHubAPI", folder: "SampleGitHubAPI/Program", modules: ["GitHubServer", "RestfulData"],
            external: ["ArgumentParser": [], "Logging": []], packages: ["swift-argument-parser", "swift-log"],
            isOutside: true),
        ModuleRule(
            name: "TestSupport", folder: "Tests/TestSupport", external: ["GRDBSQLite": []], packages: ["GRDB.swift"]),
        ModuleRule(
            name: "OutboxProgram", folder: "Tests/OutboxProgram", modules: ["RestfulData"],
            external: ["GRDBSQLite": []], packages: ["GRDB.swift"]),
    ]
}
