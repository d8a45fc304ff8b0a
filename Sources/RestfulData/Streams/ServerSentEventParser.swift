/// Reads server-sent events by the [HTML standard
/// §9.2.6](https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation).
///
/// An unfinished event at the end of the body is dropped, with its ID.
struct ServerSentEventParser: EventParser {
    private(set) var lastEventID: String?
    private(set) var retry: Duration?

    private let limit: Int
    /// The received part of the current line.
    private var line: [UInt8] = []
    /// Whether the last byte was a carriage return. A line feed directly after it belongs to the same line end.
    private var isAfterReturn = false
    private var isFirstLine = true
    // The current event.
    private var data: [UInt8] = []
    private var type: [UInt8] = []
    private var id: String

    private static let (lineFeed, carriageReturn, colon, space) =
        (0x0A, 0x0D, 0x3A, 0x20) as (UInt8, UInt8, UInt8, UInt8)

    /// - Parameters:
    ///   - lastEventID: The ID of events until one has its own. Browsers keep the ID across connections, too.
    ///   - limit: The maximum number of bytes of one event: its data plus the current line.
    init(after lastEventID: String = "", limit: Int) {
        (self.lastEventID, id, self.limit) = (lastEventID, lastEventID, limit)
    }

    mutating func read(_ piece: [UInt8], into events: inout [ServerEvent]) throws(StreamProblem) {
        var start = 0
        for position in piece.indices {
            let byte = piece[position]
            guard byte == Self.lineFeed || byte == Self.carriageReturn else {
                isAfterReturn = false
                continue
            }
            let endsNothing = byte == Self.lineFeed && isAfterReturn
            isAfterReturn = byte == Self.carriageReturn
            if !endsNothing {
                try add(piece[start..<position])
                endLine(&events)
            }
            start = position + 1
        }
        try add(piece[start...])
    }

    // Only a blank line completes an event.
    mutating func finish(into events: inout [ServerEvent]) {}

    private mutating func add(_ bytes: ArraySlice<UInt8>) throws(StreamProblem) {
        guard bytes.count <= limit - data.count - line.count else { throw .eventTooLarge(limit: limit) }
        line += bytes
    }

    private mutating func endLine(_ events: inout [ServerEvent]) {
        defer { line.removeAll(keepingCapacity: true) }
        if isFirstLine {
            isFirstLine = false
            // By the standard, decoding UTF-8 removes one byte order mark.
            if line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        }
        guard !line.isEmpty else { return dispatch(&events) }
        guard let colon = line.firstIndex(of: Self.colon) else { return take(line[...], []) }
        var value = line[(colon + 1)...]
        if value.first == Self.space { value.removeFirst() }
        take(line[..<colon], value)
    }

    private mutating func take(_ field: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) {
        switch String(decoding: field, as: UTF8.self) {
        case "data":
            data += value
            data.append(Self.lineFeed)
        case "event": type = Array(value)
        case "id" where !value.contains(0): id = String(decoding: value, as: UTF8.self)
        case "retry" where !value.isEmpty && value.allSatisfy({ (0x30...0x39).contains($0) }):
            // Values that overflow an integer count as the longest wait.
            retry = .milliseconds(min(Int(String(decoding: value, as: UTF8.self)) ?? .max, Self.longestRetry))
        // Comments have an empty name. Unknown fields are ignored.
        default: break
        }
    }

    /// One day in milliseconds.
    private static let longestRetry = 86_400_000

    private mutating func dispatch(_ events: inout [ServerEvent]) {
        lastEventID = id
        defer { (data, type) = ([], []) }
        guard !data.isEmpty else { return }
        data.removeLast()
        let name = type.isEmpty ? ServerEvent.standardType : String(decoding: type, as: UTF8.self)
        events.append(ServerEvent(data, type: name, id: id))
    }
}
