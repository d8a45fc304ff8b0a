package import Foundation

/// Files outside the tests' own code, wherever the project lies.
package enum ProjectFolder {
    /// The folder that `Package.swift` lies in, the real one where a symbolic link led here.
    package static let root: URL = (1...3).reduce(URL(filePath: #filePath).resolvingSymlinksInPath()) { url, _ in
        url.deletingLastPathComponent()
    }

    /// A file or folder of the tests, such as `ConventionsTests/Fixtures/routes.json`.
    package static func test(_ path: String) -> URL { root.appending(path: "Tests").appending(path: path) }
}
