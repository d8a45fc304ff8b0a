import Foundation
import TestSupport

/// The package's manifest, as printed by `swift package dump-package`.
struct Manifest: Decodable, Sendable {
    struct Target: Decodable, Sendable {
        let name: String
        let type: String
        let packageAccess: Bool
        let dependencies: [Dependency]

        /// The targets of this package that it names.
        var targets: Set<String> { Set(dependencies.compactMap(\.target)) }
        /// The packages whose products it names.
        var packages: Set<String> { Set(dependencies.compactMap(\.package)) }
    }

    /// `{"byName": ["Conventions", null]}` or `{"product": ["GRDB", "GRDB.swift", null, null]}`.
    struct Dependency: Decodable, Sendable {
        let target: String?
        let package: String?

        private enum CodingKeys: String, CodingKey {
            case byName, target, product
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            func strings(_ key: CodingKeys) throws -> [String]? {
                guard container.contains(key) else { return nil }
                var list = try container.nestedUnkeyedContainer(forKey: key)
                return [try list.decode(String.self), try list.decodeIfPresent(String.self) ?? ""]
            }
            target = try strings(.byName)?[0] ?? strings(.target)?[0]
            package = try strings(.product)?[1]
        }
    }

    let targets: [Target]

    /// Reads the manifest with the `swift` in `PATH`, in a scratch folder of its own: the one of the running tests is
    /// locked.
    static func read() async throws -> Manifest {
        try await withTemporaryFolder { scratch in
            let output = scratch.appending(path: "manifest.json")
            try Data().write(to: output)

            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = [
                "swift", "package", "--package-path", ProjectFolder.root.path, "--scratch-path", scratch.path,
                "dump-package",
            ]
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = try FileHandle(forWritingTo: output)
            _ = try await process.statusAtExit()
            return try JSONDecoder().decode(Manifest.self, from: Data(contentsOf: output))
        }
    }
}
