/// One `import` of a file.
struct FoundImport: Equatable, Sendable {
    let module: String
    let line: Int
}

extension SourceFile {
    /// The file's imports, of any access, attributes and kind, and under any condition. Comments and literals of
    /// several lines are skipped.
    var imports: [FoundImport] {
        var found: [FoundImport] = []
        var isInLiteral = false
        var isInComment = false
        for (number, line) in zip(1..., lines) {
            if !isInLiteral, !isInComment, line.contains("import") {
                for statement in line.split(separator: ";") {
                    guard let match = statement.prefixMatch(of: Self.importStatement) else { continue }
                    found.append(FoundImport(module: String(match.module), line: number))
                }
            }
            if !isInComment, line.contains(Self.quotes), line.ranges(of: Self.quotes).count % 2 == 1 {
                isInLiteral.toggle()
            }
            if !isInLiteral {
                if line.contains("/*") { isInComment = true }
                if line.contains("*/") { isInComment = false }
            }
        }
        return found
    }

    private static let quotes = "\"\"\""

    // A regular expression is non-`Sendable`, so each use has its own.
    private static var importStatement: Regex<(Substring, module: Substring)> {
        /\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+(?:(?:actor|class|enum|func|let|protocol|struct|typealias|var)\s+)?(?<module>\w+)/
    }
}
