// swift-tools-version: 6.3

import PackageDescription

// The app's screens are a library, so that an Xcode project for iOS can use them as well; see README.md.
let package = Package(
    name: "Issues",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [.library(name: "IssuesUI", targets: ["IssuesUI"])],
    dependencies: [.package(name: "RestfulData", path: "../..")],
    targets: [
        .target(
            name: "IssuesUI",
            dependencies: [
                .product(name: "RestfulData", package: "RestfulData"),
                .product(name: "RestfulDataUI", package: "RestfulData"),
                .product(name: "RestfulDataTesting", package: "RestfulData"),
            ]),
        .executableTarget(name: "Issues", dependencies: ["IssuesUI"]),
    ],
    swiftLanguageModes: [.v6]
)
