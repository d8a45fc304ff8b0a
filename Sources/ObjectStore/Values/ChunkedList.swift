/// A list that keeps its elements in place when it grows. Copying them to memory that is new to the process takes
/// longer than adding elements.
struct ChunkedList<Element> {
    private static var chunkBits: Int { 9 }
    private static var chunkSize: Int { 1 &<< chunkBits }

    /// All but the last chunk.
    private var full: [[Element]] = []
    private var tail: [Element] = []

    init() {}

    init(_ elements: some Sequence<Element>) {
        for element in elements { append(element) }
    }

    @inline(__always)
    mutating func append(_ element: consuming Element) {
        if tail.count == Self.chunkSize { beginChunk() }
        tail.append(element)
    }

    /// The tail is empty only if the list is.
    @inline(__always)
    var last: Element? { tail.last }

    @inline(never)
    private mutating func beginChunk() {
        full.append(tail)
        tail = []
        // Only the first chunk grows as an array does.
        tail.reserveCapacity(Self.chunkSize)
    }
}

extension ChunkedList: RandomAccessCollection, MutableCollection {
    var startIndex: Int { 0 }
    @inline(__always)
    var endIndex: Int { full.count &* Self.chunkSize &+ tail.count }

    subscript(position: Int) -> Element {
        @inline(__always)
        get {
            let (chunk, place) = (position &>> Self.chunkBits, position & (Self.chunkSize &- 1))
            return chunk < full.count ? full[chunk][place] : tail[place]
        }
        set {
            let (chunk, place) = (position &>> Self.chunkBits, position & (Self.chunkSize &- 1))
            if chunk < full.count { full[chunk][place] = newValue } else { tail[place] = newValue }
        }
        _modify {
            let (chunk, place) = (position &>> Self.chunkBits, position & (Self.chunkSize &- 1))
            if chunk < full.count { yield &full[chunk][place] } else { yield &tail[place] }
        }
    }
}
