/// Reads one JSON text from each line. The import checks whether it is valid JSON.
///
/// In a complete body, the last line may omit its line feed.
struct JSONLineParser: EventParser {
    private let limit: Int
    private var line: [UInt8] = []
    private var isFirstLine = true

    init(limit: Int) { self.limit = limit }

    mutating func read(_ piece: [UInt8], into events: inout [ServerEvent]) throws(StreamProblem) {
        var rest = piece[...]
        while let end = rest.firstIndex(of: 0x0A) {
            try add(rest[..<end])
            endLine(&events)
            rest = rest[(end + 1)...]
        }
        try add(rest)
    }

    mutating func finish(into events: inout [ServerEvent]) { endLine(&events) }

    private mutating func add(_ bytes: ArraySlice<UInt8>) throws(StreamProblem) {
        guard bytes.count <= limit - line.count else { throw .eventTooLarge(limit: limit) }
        line += bytes
    }

    private mutating func endLine(_ events: inout [ServerEvent]) {
        defer { line = [] }
        if isFirstLine {
            isFirstLine = false
            if line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        }
        let text = line.trimmingJSONSpace
        if !text.isEmpty { events.append(ServerEvent(text)) }
    }
}

/// Reads JSON texts that follow record separators ([RFC 7464](https://www.rfc-editor.org/rfc/rfc7464)).
///
/// A text ends with a line feed after its last bracket, or with the next separator. A truncated object, array or string
/// becomes an event with a failing import. A truncated number or word looks complete, so one is dropped unless a space
/// follows it (§2.4). Bytes before the first separator are dropped.
struct JSONSequenceParser: EventParser {
    private let limit: Int
    private var text: [UInt8] = []
    /// Whether a separator was read, and its text is still open.
    private var isInText = false
    private var depth = 0
    private var isInString = false
    private var isEscaped = false

    private static let recordSeparator: UInt8 = 0x1E

    init(limit: Int) { self.limit = limit }

    mutating func read(_ piece: [UInt8], into events: inout [ServerEvent]) throws(StreamProblem) {
        for byte in piece {
            // A separator always ends a text, because strings escape it.
            guard byte != Self.recordSeparator else {
                endText(&events)
                isInText = true
                continue
            }
            // Whitespace before a text is skipped, and may have any length.
            guard isInText, !text.isEmpty || !byte.isJSONSpace else { continue }
            guard text.count < limit else { throw .eventTooLarge(limit: limit) }
            text.append(byte)
            follow(byte)
            if byte == 0x0A, depth <= 0, !isInString { endText(&events) }
        }
    }

    mutating func finish(into events: inout [ServerEvent]) { endText(&events) }

    private mutating func follow(_ byte: UInt8) {
        switch byte {
        case _ where isEscaped: isEscaped = false
        case UInt8(ascii: "\\") where isInString: isEscaped = true
        case UInt8(ascii: "\""): isInString.toggle()
        case UInt8(ascii: "{") where !isInString, UInt8(ascii: "[") where !isInString: depth += 1
        case UInt8(ascii: "}") where !isInString, UInt8(ascii: "]") where !isInString: depth -= 1
        default: break
        }
    }

    private mutating func endText(_ events: inout [ServerEvent]) {
        let trimmed = text.trimmingJSONSpace
        let isDelimited = trimmed.first.map { "{[\"".utf8.contains($0) } == true || text.last?.isJSONSpace == true
        if !trimmed.isEmpty, isDelimited { events.append(ServerEvent(trimmed)) }
        (text, isInText, depth, isInString, isEscaped) = ([], false, 0, false, false)
    }
}

extension UInt8 {
    fileprivate var isJSONSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}

extension [UInt8] {
    /// The bytes, leading and trailing JSON whitespace removed.
    fileprivate var trimmingJSONSpace: [UInt8] {
        guard let first = firstIndex(where: { !$0.isJSONSpace }), let last = lastIndex(where: { !$0.isJSONSpace })
        else { return [] }
        return first == 0 && last == count - 1 ? self : Array(self[first...last])
    }
}
