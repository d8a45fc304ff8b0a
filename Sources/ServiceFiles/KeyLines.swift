/// The lines of keys by key path. Keys within a list have the list's path.
package struct KeyLines: Sendable {
    private(set) var lines: [[String]: Int] = [:]
    /// With the line of the second key.
    private(set) var repeated: [(path: [String], line: Int)] = []

    /// The paths of the open objects and lists.
    private var open: [[String]] = []
    /// Of the next value.
    private var path: [String] = []
    /// Of the open objects.
    private var keys: [Set<String>] = []

    package init(_ lines: [[String]: Int]) { self.lines = lines }

    /// The nearest known line around the value.
    func line(of path: some Collection<String>) -> Int? {
        var path = Array(path)
        while !path.isEmpty {
            if let line = lines[path] { return line }
            path.removeLast()
        }
        return nil
    }

    private mutating func begin() {
        open.append(path)
        keys.append([])
    }

    private mutating func end() {
        path = open.popLast() ?? []
        keys.removeLast(min(1, keys.count))
    }

    private mutating func add(_ key: String, at line: Int) {
        path = (open.last ?? []) + [key]
        guard let last = keys.indices.last else { return }
        if !keys[last].insert(key).inserted { repeated.append((path, line)) }
        if lines[path] == nil { lines[path] = line }
    }
}

extension KeyLines {
    /// Only property lists in XML have lines.
    init(ofPropertyList text: String) {
        var line = 1
        var rest = text[...]
        while let start = rest.firstIndex(of: "<") {
            line += rest[..<start].newlines
            rest = rest[start...]
            let isComment = rest.hasPrefix("<!--")
            guard let end = isComment ? rest.firstRange(of: "-->")?.upperBound : rest.firstIndex(of: ">") else {
                return
            }
            let tag = rest[..<end].dropFirst()
            let lineOfTag = line
            line += tag.newlines
            rest = isComment ? rest[end...] : rest[end...].dropFirst()
            switch tag {
            case "dict", "array": begin()
            case "/dict", "/array": self.end()
            case "key":
                let name = rest.prefix { $0 != "<" }
                add(Self.unescaped(name), at: lineOfTag)
            default: break
            }
        }
    }

    private static func unescaped(_ text: Substring) -> String {
        guard text.contains("&") else { return String(text) }
        return String(text).replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&quot;", with: "\"")
            .replacing("&apos;", with: "'").replacing("&amp;", with: "&")
    }

    init(ofJSON text: String) {
        var line = 1
        var string: (start: String.Index, line: Int)?
        var lastString: (text: String, line: Int)?
        var isEscaped = false
        for index in text.indices {
            let character = text[index]
            if character.isNewline { line += 1 }
            if let begun = string {
                if isEscaped {
                    isEscaped = false
                } else if character == "\\" {
                    isEscaped = true
                } else if character == "\"" {
                    lastString = (String(text[text.index(after: begun.start)..<index]), begun.line)
                    string = nil
                }
                continue
            }
            switch character {
            case "\"": string = (index, line)
            case ":": if let lastString { add(lastString.text, at: lastString.line) }
            case "{", "[": begin()
            case "}", "]": end()
            default: break
            }
        }
    }
}

extension Substring {
    fileprivate var newlines: Int { count(where: \.isNewline) }
}
