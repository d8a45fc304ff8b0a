// swift-tools-version: 6.3

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

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "RestfulData", path: ".."),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    ],
    targets: [
        // The common part of all Swift peers: the tasks, and their timing.
        .target(name: "BenchmarkPeer", swiftSettings: settings),
        // This library, through its public API.
        .executableTarget(
            name: "RestfulDataBench",
            dependencies: ["BenchmarkPeer", .product(name: "RestfulData", package: "RestfulData")],
            swiftSettings: settings),
        // The usual way by hand: JSONDecoder and GRDB's Codable records.
        .executableTarget(
            name: "UsualBench",
            dependencies: ["BenchmarkPeer", .product(name: "GRDB", package: "GRDB.swift")],
            swiftSettings: settings),
        // Local work: live objects, GRDB's Codable records and plain classes.
        .executableTarget(
            name: "LocalBench",
            dependencies: [
                .product(name: "RestfulData", package: "RestfulData"), .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: settings),
        // The same work at n, 4n and 16n.
        .executableTarget(
            name: "ScaleBench", dependencies: [.product(name: "RestfulData", package: "RestfulData")],
            swiftSettings: settings),
        // The same work some thousand times over, and the memory that it leaves behind.
        .executableTarget(
            name: "SoakBench",
            dependencies: ["AllocatedMemory", .product(name: "RestfulData", package: "RestfulData")],
            swiftSettings: settings),
        // Uploads, downloads and bare requests, beside curl and AsyncHTTPClient.
        .executableTarget(
            name: "TransferBench",
            dependencies: [
                .product(name: "RestfulData", package: "RestfulData"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: settings),
        // The allocator's count of bytes in use.
        .target(name: "AllocatedMemory"),
        // Generates the bodies, runs the peers side by side, checks the stored values and prints the table.
        .executableTarget(name: "CompareBench", swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
