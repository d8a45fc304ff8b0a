/// The floors of the object store, from the lowest up: a file names types of its own floor and of lower ones only.
enum Floors {
    static let folder = "Sources/ObjectStore"

    /// Each floor uses only the floors below it: models use values, tables use models, and so on. You can read, test
    /// and change a floor alone.
    static let names = [
        "Values", "Models", "Schema", "Facts", "SQLite", "Write", "Import", "Migration", "File", "Objects", "Store",
    ]

    /// Types of a higher floor that a file may name all the same, and why.
    static let exceptions: [Exception] = [
        Exception(
            file: "Models/Model.swift", type: "ObjectState",
            reason: "the protocol's only requirement that isn't a declaration is what stands behind a live object"),
        Exception(
            file: "Models/ResponseBody.swift", type: "ResponseValues",
            reason: "the protocol's initialiser takes what was read in a context"),
    ]

    struct Exception: Sendable {
        let file: String
        let type: String
        let reason: String
    }

    static func floor(of path: String) -> Int? {
        let parts = path.dropFirst(folder.count + 1).split(separator: "/")
        return parts.count > 1 ? names.firstIndex { $0 == parts[0] } : nil
    }

    /// Every type of a higher floor that one of the files names, a line each.
    static func violations(in files: [SourceFile]) -> [String] {
        var floors: [String: Int] = [:]
        for file in files {
            guard let floor = floor(of: file.path) else { continue }
            for type in file.declaredTypes { floors[type] = floor }
        }
        return files.flatMap { file -> [String] in
            guard let floor = floor(of: file.path) else { return ["\(file.path): is on no floor"] }
            return Set(file.code.matches(of: word).map { String($0.output) })
                .filter { type in (floors[type] ?? 0) > floor && !isException(type, in: file) }.sorted()
                .map { "\(file.path): names \($0), of \(names[floors[$0] ?? 0])" }
        }
    }

    private static func isException(_ type: String, in file: SourceFile) -> Bool {
        exceptions.contains { file.path == "\(folder)/\($0.file)" && $0.type == type }
    }

    // A regular expression is non-`Sendable`, so each use has its own.
    private static var word: Regex<Substring> { /\b[A-Z]\w*/ }
}

extension SourceFile {
    /// The types that the file declares at its top level.
    var declaredTypes: [String] {
        code.matches(of: Self.typeDeclaration).map { String($0.name) }
    }

    private static var typeDeclaration: Regex<(Substring, name: Substring)> {
        /(?m)^(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private|final|indirect|open)\s+)*(?:struct|class|enum|protocol|actor|typealias)\s+(?<name>\w+)/
    }
}
