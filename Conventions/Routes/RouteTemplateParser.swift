struct RouteTemplateParser {
    private let text: String
    private let characters: [Character]
    private var offset = 0

    init(_ text: String) {
        self.text = text
        self.characters = Array(text)
    }

    mutating func parse() throws(RouteTemplateError) -> RouteTemplate {
        try refuseControlCharacters()
        let origin = try parseOrigin()
        let path = try parseParts(at: .path)
        try refuseUnsafeSegments(of: path)
        var query: [RouteTemplate.Part]?
        if peek() == "?" {
            offset += 1
            query = try parseParts(at: .query)
        }
        return RouteTemplate(text: text, origin: origin, path: path, query: query)
    }

    // Each method below reads one construct and moves `offset` past it.

    private mutating func parseOrigin() throws(RouteTemplateError) -> String {
        if peek() == "/" { return "" }
        guard let scheme = ["https://", "http://"].first(where: { text.lowercased().hasPrefix($0) }) else {
            throw malformed("begin it with \"/\", or with \"https://\" and a host")
        }
        offset = scheme.count
        while let character = peek(), character != "/", character != "?", character != "#" {
            guard character.isAllowedInAuthority else {
                throw malformed("\"\(character)\" cannot stand in a host")
            }
            offset += 1
        }
        // The host, after a user name and before a port. It needs a letter or digit: dots alone would look like a path
        // segment.
        let authority = characters[scheme.count..<offset]
        let host = authority.suffix(from: authority.lastIndex(of: "@").map { $0 + 1 } ?? authority.startIndex)
        let isAddress = host.first == "["
        guard isAddress || host.prefix(while: { $0 != ":" }).contains(where: { $0.isLetter || $0.isNumber }) else {
            offset = scheme.count
            throw malformed("a host is missing behind \"\(scheme)\"")
        }
        return String(characters[..<offset])
    }

    private mutating func parseParts(
        at position: RouteTemplate.Placeholder.Position
    ) throws(RouteTemplateError) -> [RouteTemplate.Part] {
        var parts: [RouteTemplate.Part] = []
        var literal = ""
        while let character = peek(), !(position == .path && character == "?") {
            switch character {
            case ":":
                if !literal.isEmpty { parts.append(.literal(literal)) }
                literal = ""
                parts.append(.placeholder(try parsePlaceholder(at: position)))
            case "#":
                throw malformed("a fragment is never sent; write \"%23\" for a number sign")
            case "%" where isPercentEncoded(at: offset):
                literal += String(characters[offset..<(offset + 3)])
                offset += 3
            default:
                literal += PercentEncoding.encode(String(character), as: position == .path ? .path : .queryLiteral)
                offset += 1
            }
        }
        if !literal.isEmpty { parts.append(.literal(literal)) }
        return parts
    }

    private mutating func parsePlaceholder(
        at position: RouteTemplate.Placeholder.Position
    ) throws(RouteTemplateError) -> RouteTemplate.Placeholder {
        let start = offset
        offset += 1
        if peek() == "{" { return try parseBracedPlaceholder(at: position) }
        guard peek()?.startsRouteName ?? false else {
            offset = start
            throw malformed("a name is missing behind the colon; write \"%3A\" for a colon that starts no placeholder")
        }
        var keyPath = [parseName()]
        while peek() == ".", peek(1)?.startsRouteName ?? false {
            offset += 1
            keyPath.append(parseName())
        }
        let looksLikeFormat =
            keyPath.count > 1 && RouteTemplate.Placeholder.formats.contains(keyPath[keyPath.count - 1])
        return RouteTemplate.Placeholder(keyPath: keyPath, position: position, mayEndInFormat: looksLikeFormat)
    }

    private mutating func parseBracedPlaceholder(
        at position: RouteTemplate.Placeholder.Position
    ) throws(RouteTemplateError) -> RouteTemplate.Placeholder {
        let start = offset
        offset += 1
        guard let end = characters[offset...].firstIndex(of: "}") else {
            offset = start
            throw malformed("a closing brace is missing")
        }
        let keyPath = characters[offset..<end].split(separator: ".", omittingEmptySubsequences: false).map {
            String($0)
        }
        guard !keyPath.contains("") else { throw malformed("a name is missing between the braces") }
        offset = end + 1
        return RouteTemplate.Placeholder(keyPath: keyPath, position: position, mayEndInFormat: false)
    }

    private mutating func parseName() -> String {
        let start = offset
        while peek()?.continuesRouteName ?? false { offset += 1 }
        return String(characters[start..<offset])
    }

    private func peek(_ distance: Int = 0) -> Character? {
        offset + distance < characters.count ? characters[offset + distance] : nil
    }

    private func isPercentEncoded(at index: Int) -> Bool {
        index + 2 < characters.count && characters[(index + 1)...(index + 2)].allSatisfy { $0.isASCII && $0.isHexDigit }
    }

    private func malformed(_ reason: String) -> RouteTemplateError {
        .malformed(template: text, offset: offset, reason: reason)
    }

    private mutating func refuseControlCharacters() throws(RouteTemplateError) {
        let index = characters.firstIndex { $0.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F } }
        guard let index else { return }
        offset = index
        throw malformed("a control character cannot stand in a URL")
    }

    /// Throws if the template's own text has an empty, `.` or `..` segment. A trailing slash is allowed.
    private mutating func refuseUnsafeSegments(of path: [RouteTemplate.Part]) throws(RouteTemplateError) {
        let outline = path.map { part in
            // Expanding checks the placeholder's value.
            if case .literal(let literal) = part { literal } else { ":" }
        }.joined()
        let segments = outline.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            guard PathSegment.isUnsafe(segment), !(isLast && segment.isEmpty) else { continue }
            throw malformed("the path has an empty, \".\" or \"..\" segment; leave it out")
        }
    }
}

extension Character {
    /// Whether the character is valid in the authority of a URL (RFC 3986 §3.2).
    fileprivate var isAllowedInAuthority: Bool {
        guard let byte = asciiValue else { return false }
        return PercentEncoding.Component.path.allows(byte) && self != "/" || self == "[" || self == "]" || self == "%"
    }
}
