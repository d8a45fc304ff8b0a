extension SourceFile {
    /// The public declarations of the file without their bodies and values, each after the type that it is in:
    /// `ObjectContext: public func save() async throws(StoreError)`.
    var publicDeclarations: [String] {
        var scanner = PublicScanner(code)
        return scanner.scan()
    }
}

private struct PublicScanner {
    private struct Scope {
        let name: String
        /// The number of braces around the declaration of the type.
        let depth: Int
        /// The word that begins a declaration of each member that is as public as the type.
        let membersBegin: Set<Substring>
    }

    private let lines: [Substring]
    private var scopes: [Scope] = []
    private var depth = 0
    private var found: [String] = []

    private static let types: Set<Substring> = ["struct", "class", "enum", "protocol", "extension", "actor"]
    private static let requirements: Set<Substring> = ["func", "var", "init", "associatedtype", "subscript"]
    private static let modifiers: Set<Substring> = [
        "public", "open", "final", "indirect", "package", "internal", "private", "fileprivate", "nonisolated",
        "mutating",
        "convenience", "override", "unsafe", "static",
    ]
    private static let continuations = [")", "->", "async", "throws", "where ", "{", ":"]

    init(_ code: String) { lines = code.split(separator: "\n", omittingEmptySubsequences: false) }

    mutating func scan() -> [String] {
        for index in lines.indices {
            let line = lines[index].drop(while: \.isWhitespace)
            while let last = scopes.last, depth <= last.depth { scopes.removeLast() }
            let words = words(of: line)
            let isPublic = (words.contains("public") || line.hasPrefix("open ")) && !words.contains("import")
            let scope = scopes.last
            let isMember =
                scope.map { depth == $0.depth + 1 && words.last.map($0.membersBegin.contains) == true } ?? false
            if isPublic || isMember {
                let owner = scopes.map(\.name).joined(separator: ".")
                found.append((owner.isEmpty ? "" : owner + ": ") + declaration(from: index))
            }
            if let kind = words.last, Self.types.contains(kind), let name = name(in: line, after: kind) {
                let begins: Set<Substring> =
                    switch kind {
                    case "enum" where isPublic: ["case"]
                    case "protocol" where isPublic: Self.requirements
                    default: []
                    }
                scopes.append(Scope(name: name, depth: depth, membersBegin: begins))
            }
            depth += line.reduce(0) { $0 + ($1 == "{" ? 1 : $1 == "}" ? -1 : 0) }
        }
        return found
    }

    /// The attributes and modifiers that begin a line, and the word after them.
    private func words(of line: Substring) -> [Substring] {
        var words: [Substring] = []
        let parts = line.split(separator: " ")
        for (index, part) in parts.enumerated() {
            let word = part.prefix { $0.isLetter || $0 == "@" }
            words.append(word)
            // `class` is also a modifier: class func, class var.
            let next = index + 1 < parts.count ? parts[index + 1] : ""
            let isModifier = Self.modifiers.contains(word) || (word == "class" && ["func", "var"].contains(next))
            guard isModifier || word.hasPrefix("@") else { break }
        }
        return words
    }

    private func name(in line: Substring, after kind: Substring) -> String? {
        guard let range = line.firstRange(of: "\(kind) ") else { return nil }
        let name = line[range.upperBound...].prefix { !"{:<( ".contains($0) }
        return name.isEmpty ? nil : String(name)
    }

    /// The declaration on a line and those that continue it, up to its body or value.
    private func declaration(from first: Int) -> String {
        var text = ""
        var nesting = 0
        lines: for index in lines[first...].indices {
            let line = lines[index].drop(while: \.isWhitespace)
            if index > first { text.append(" ") }
            for character in line {
                if "([".contains(character) { nesting += 1 }
                if ")]".contains(character) { nesting -= 1 }
                if nesting == 0, character == "{" { break lines }
                text.append(character)
            }
            guard nesting == 0, !line.hasSuffix(",") else { continue }
            let next = index + 1 < lines.count ? lines[index + 1].drop(while: \.isWhitespace) : ""
            guard Self.continuations.contains(where: next.hasPrefix) else { break }
        }
        return withoutValue(text).split(separator: " ").joined(separator: " ").replacing("( ", with: "(")
            .replacing(" )", with: ")")
    }

    /// The text up to an initial value. The types that aliases name, and default values of parameters, stay.
    private func withoutValue(_ text: String) -> Substring {
        guard !text.contains("typealias "), !text.contains("macro ") else { return text[...] }
        var nesting = 0
        var previous: Character = " "
        for index in text.indices {
            let character = text[index]
            if "([".contains(character) { nesting += 1 }
            if ")]".contains(character) { nesting -= 1 }
            let rest = text[index...]
            if nesting == 0, previous == " ", rest.hasPrefix("= ") { return text[..<index] }
            previous = character
        }
        return text[...]
    }
}
