// swift-tools-version: 6.3

import CompilerPluginSupport
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .strictMemorySafety(),
]

let sqlite: Target.Dependency = .product(name: "GRDBSQLite", package: "GRDB.swift")
let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let crypto: Target.Dependency = .product(
    name: "Crypto", package: "swift-crypto", condition: .when(platforms: [.linux]))
let flyingFox: Target.Dependency = .product(name: "FlyingFox", package: "FlyingFox")

let package = Package(
    name: "RestfulData",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "RestfulData", targets: ["RestfulData"]),
        .library(name: "RestfulDataUI", targets: ["RestfulDataUI"]),
        .library(name: "RestfulDataMetrics", targets: ["RestfulDataMetrics"]),
        .library(name: "RestfulDataTesting", targets: ["RestfulDataTesting"]),
        .library(name: "RestfulDataTestingTraits", targets: ["RestfulDataTestingTraits"]),
        .library(name: "RestfulDataTestingLoopback", targets: ["RestfulDataTestingLoopback"]),
        .library(name: "RestfulDataXML", targets: ["RestfulDataXML"]),
        .library(name: "RestfulDataYAML", targets: ["RestfulDataYAML"]),
        .library(name: "RestfulDataOpenAPI", targets: ["RestfulDataOpenAPI"]),
        .plugin(name: "GenerateService", targets: ["GenerateService"]),
        .plugin(name: "GenerateModels", targets: ["GenerateModels"]),
        .executable(name: "SampleGitHubAPI", targets: ["SampleGitHubAPI"]),
    ],
    dependencies: [
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-crypto", "3.12.3"..<"5.0.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
        // For RestfulDataXML alone: only programs with that product build it.
        .package(url: "https://github.com/CoreOffice/XMLCoder", from: "0.18.2"),
        // For RestfulDataYAML, RestfulDataOpenAPI and the command plugins alone.
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        // For RestfulDataMetrics alone. AsyncHTTPClient needs the second one, too.
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        // The base of AsyncHTTPClient, for a test's own HTTP/2 server.
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    ],
    targets: [
        .target(name: "Conventions", path: "Conventions", swiftSettings: settings),
        // A macro target that a test depends on is built for two systems, with all of its dependencies. So this target
        // has only the plugin's entry, and the tests depend on the module that it calls.
        .macro(
            name: "RestfulDataMacros",
            dependencies: [
                "ModelExpansion",
                .product(name: "SwiftCompilerPlugin", package: "swift-syntax"),
                .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
            ],
            swiftSettings: settings),
        .target(
            name: "ModelExpansion",
            dependencies: [
                "Conventions",
                .product(name: "SwiftDiagnostics", package: "swift-syntax"),
                .product(name: "SwiftSyntax", package: "swift-syntax"),
                .product(name: "SwiftSyntaxBuilder", package: "swift-syntax"),
                .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
            ],
            swiftSettings: settings),
        .target(name: "JSONBytes", swiftSettings: settings),
        // Functions of the Swift runtime, declared for C.
        .systemLibrary(name: "ReferenceCounts"),
        // The system's zlib, by which bodies are compressed; SwiftNIO links it as well.
        .systemLibrary(name: "CZlib"),
        .target(
            name: "ObjectStore", dependencies: ["Conventions", "JSONBytes", "ReferenceCounts", grdb, sqlite],
            swiftSettings: settings),
        .target(
            name: "RESTTransport",
            dependencies: [
                "Conventions", "CZlib", httpTypes, logging, crypto,
                .product(
                    name: "AsyncHTTPClient", package: "async-http-client", condition: .when(platforms: [.linux])),
            ],
            swiftSettings: settings),
        // The description of a web service, read and checked. It is a module of its own, so that the generator of code
        // needs only this one.
        .target(
            name: "ServiceFiles", dependencies: ["Conventions", "JSONBytes", httpTypes], swiftSettings: settings),
        .target(
            name: "RestfulData",
            dependencies: [
                "Conventions", "JSONBytes", "RestfulDataMacros", "ObjectStore", "RESTTransport", "ServiceFiles",
                httpTypes, logging, crypto,
            ],
            swiftSettings: settings),
        // Empty on systems that lack SwiftUI. CompileFailTests type-checks it there, against Tests/SwiftUIStubs.
        .target(name: "RestfulDataUI", dependencies: ["RestfulData"], swiftSettings: settings),
        .target(name: "RestfulDataTesting", dependencies: ["RestfulData", httpTypes], swiftSettings: settings),
        // For Swift Testing. It is a module of its own, because programs and previews that use the server must not link
        // Testing.
        .target(
            name: "RestfulDataTestingTraits", dependencies: ["RestfulData", "RestfulDataTesting"],
            swiftSettings: settings),
        // A port for the server. It is a module of its own, because most tests do without FlyingFox.
        .target(
            name: "RestfulDataTestingLoopback",
            dependencies: ["RestfulData", "RestfulDataTesting", flyingFox, httpTypes], swiftSettings: settings),
        .target(
            name: "RestfulDataMetrics",
            dependencies: [
                "RESTTransport", httpTypes,
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Instrumentation", package: "swift-distributed-tracing"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ],
            swiftSettings: settings),
        .target(
            name: "RestfulDataXML",
            dependencies: ["RestfulData", .product(name: "XMLCoder", package: "XMLCoder")], swiftSettings: settings),
        .target(
            name: "YAMLServiceFiles",
            dependencies: ["JSONBytes", "ServiceFiles", .product(name: "Yams", package: "Yams")],
            swiftSettings: settings),
        .target(
            name: "RestfulDataYAML", dependencies: ["RestfulData", "ServiceFiles", "YAMLServiceFiles"],
            swiftSettings: settings),

        // OpenAPI descriptions, read; apart from the library, so that the generator of models builds in seconds.
        .target(
            name: "OpenAPIFiles", dependencies: ["JSONBytes", .product(name: "Yams", package: "Yams")],
            swiftSettings: settings),
        .target(
            name: "RestfulDataOpenAPI",
            dependencies: ["Conventions", "GeneratedCode", "ObjectStore", "OpenAPIFiles", "RestfulData"],
            swiftSettings: settings),

        // Swift names, comments and files, for both generators.
        .target(name: "GeneratedCode", swiftSettings: settings),
        // `swift package generate-models openapi.yaml --output Sources/App/Models.swift`
        .target(
            name: "ModelGenerator", dependencies: ["Conventions", "GeneratedCode", "OpenAPIFiles"],
            swiftSettings: settings),
        .executableTarget(
            name: "ModelGeneratorTool",
            dependencies: [
                "GeneratedCode", "ModelGenerator", "OpenAPIFiles",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings),
        .plugin(
            name: "GenerateModels",
            capability: .command(
                intent: .custom(
                    verb: "generate-models", description: "Writes model classes for an OpenAPI description."),
                permissions: [.writeToPackageDirectory(reason: "It writes the Swift file.")]),
            dependencies: ["ModelGeneratorTool"]),

        // `swift package generate-service Sources/App/Images.plist`
        .target(
            name: "ServiceGenerator", dependencies: ["GeneratedCode", "ServiceFiles"], swiftSettings: settings),
        .executableTarget(
            name: "ServiceGeneratorTool",
            dependencies: [
                "GeneratedCode", "ServiceFiles", "ServiceGenerator", "YAMLServiceFiles",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings),
        .plugin(
            name: "GenerateService",
            capability: .command(
                intent: .custom(
                    verb: "generate-service", description: "Writes a Swift type with the methods of a service file."),
                permissions: [.writeToPackageDirectory(reason: "It writes the Swift file beside the service file.")]),
            dependencies: ["ServiceGeneratorTool"]),

        // The sample sees public API only, as any user's program does.
        .target(
            name: "GitHubServer", dependencies: [flyingFox], path: "SampleGitHubAPI/GitHubServer",
            packageAccess: false, swiftSettings: settings),
        .executableTarget(
            name: "SampleGitHubAPI",
            dependencies: [
                "RestfulData", "GitHubServer", logging,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "SampleGitHubAPI/Program",
            packageAccess: false, swiftSettings: settings),

        // Code that tests share. Only tests depend on it.
        .target(name: "TestSupport", dependencies: [sqlite], path: "Tests/TestSupport", swiftSettings: settings),
        .testTarget(
            name: "ConventionsTests", dependencies: ["Conventions", "TestSupport"], exclude: ["Fixtures"],
            swiftSettings: settings),
        .testTarget(name: "JSONBytesTests", dependencies: ["JSONBytes", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "ModelExpansionTests",
            dependencies: [
                "ModelExpansion",
                .product(name: "SwiftSyntaxMacroExpansion", package: "swift-syntax"),
                .product(name: "SwiftSyntaxMacrosGenericTestSupport", package: "swift-syntax"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "RESTTransportTests",
            dependencies: [
                "RESTTransport", "TestSupport", flyingFox, httpTypes, logging,
                .product(name: "NIOHTTP2", package: "swift-nio-http2", condition: .when(platforms: [.linux])),
                .product(name: "NIOPosix", package: "swift-nio", condition: .when(platforms: [.linux])),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: .when(platforms: [.linux])),
            ],
            swiftSettings: settings),
        // RestfulData for the macros: their expansions name its types as `RestfulData.ModelDescription`.
        .testTarget(
            name: "ObjectStoreTests", dependencies: ["ObjectStore", "RestfulData", "TestSupport", sqlite],
            exclude: ["Fixtures"], swiftSettings: settings),
        .testTarget(
            name: "RestfulDataTests",
            dependencies: [
                "RestfulData", "RestfulDataTesting", "GitHubServer", "OutboxProgram", "TestSupport", flyingFox,
            ],
            swiftSettings: settings),
        // The program that tests of the outbox run in processes of their own, and kill.
        .executableTarget(
            name: "OutboxProgram", dependencies: ["RestfulData", sqlite], path: "Tests/OutboxProgram",
            swiftSettings: settings),
        .testTarget(
            name: "ServiceGeneratorTests", dependencies: ["ServiceGenerator", "ServiceFiles", "TestSupport"],
            exclude: ["Fixtures"], swiftSettings: settings),
        .testTarget(
            name: "OpenAPITests",
            dependencies: [
                "GeneratedCode", "ModelGenerator", "OpenAPIFiles", "RestfulData", "RestfulDataOpenAPI",
                "RestfulDataTesting", "TestSupport",
            ],
            exclude: ["Fixtures"], swiftSettings: settings),
        // Public API only, as apps' own tests see it.
        .testTarget(
            name: "RestfulDataTestingTests",
            dependencies: [
                "RestfulData", "RestfulDataTesting", "RestfulDataTestingLoopback", "RestfulDataTestingTraits",
            ],
            exclude: ["Recordings"], packageAccess: false, swiftSettings: settings),
        .testTarget(
            name: "RestfulDataMetricsTests",
            dependencies: [
                "RestfulDataMetrics", "RESTTransport", "TestSupport", httpTypes,
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "RestfulDataXMLTests", dependencies: ["RestfulDataXML", "RestfulData", "RestfulDataTesting"],
            packageAccess: false, swiftSettings: settings),
        .testTarget(
            name: "RestfulDataYAMLTests", dependencies: ["RestfulDataYAML", "RestfulData", "RestfulDataTesting"],
            packageAccess: false, swiftSettings: settings),
        // Random programs of several contexts and a server at once; Scripts/simulate runs any number of them.
        .testTarget(
            name: "SimulationTests", dependencies: ["ObjectStore", "RestfulData", "RestfulDataTesting", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "GitHubServerTests", dependencies: ["GitHubServer", "TestSupport", flyingFox],
            swiftSettings: settings),
        .testTarget(
            name: "EndToEndTests", dependencies: ["SampleGitHubAPI", "GitHubServer", "TestSupport"],
            swiftSettings: settings),
        // Skipped but for Scripts/interop, which runs the services that they need. Public API only.
        .testTarget(
            name: "InteropTests", dependencies: ["RestfulData"], exclude: ["Services"], packageAccess: false,
            swiftSettings: settings),
        .testTarget(name: "ArchitectureTests", dependencies: ["TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "CompileFailTests", dependencies: ["RestfulData", "TestSupport"], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
