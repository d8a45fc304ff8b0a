/// The readers of a live result. They may be released on any thread.
struct LiveReaders<Reader: LiveSignal> {
    private struct Place {
        weak var reader: Reader?
    }

    private var places: [Place] = []

    var all: [Reader] { places.compactMap(\.reader) }
    var isEmpty: Bool { !places.contains { $0.reader != nil } }

    mutating func add(_ reader: Reader) {
        places.removeAll { $0.reader == nil }
        places.append(Place(reader: reader))
    }

    func end() { for reader in all { reader.end() } }
}

class LiveSignal {
    private let continuation: AsyncStream<Void>.Continuation
    private var signals: AsyncStream<Void>.Iterator

    init() {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.continuation = continuation
        signals = stream.makeAsyncIterator()
        continuation.yield()
    }

    final func wake() { continuation.yield() }

    final func end() { continuation.finish() }

    /// - Returns: false if the result has ended or the task is cancelled.
    final func wait(isolation actor: isolated (any Actor)?) async -> Bool {
        await signals.next(isolation: actor) != nil
    }
}

/// The changes that one reader hasn't received yet.
final class LiveReader<Shown: LiveShown>: LiveSignal {
    /// The state that the reader has received last. Nil: none.
    private var known: Shown?
    /// The difference to the known state, after a single change.
    private var difference: Shown.Difference?
    private var changed: Set<ObjectIdentifier> = []
    private var isStale = false
    /// Removed objects of the known state. If they were released, other objects could get their identifiers.
    private var held: [ObjectIdentifier: AnyObject] = [:]
    private var knownIDs: Set<ObjectIdentifier>?

    func note(
        _ difference: Shown.Difference, from former: Shown, _ changed: [ObjectIdentifier],
        removing removed: [ObjectIdentifier: AnyObject]
    ) {
        guard known != nil else { return }
        self.difference = isStale ? nil : difference
        if !isStale { known = former }
        hold(removed)
        isStale = true
        self.changed.formUnion(changed)
        wake()
    }

    private func hold(_ removed: [ObjectIdentifier: AnyObject]) {
        guard let known, !removed.isEmpty else { return }
        guard isStale else {
            held = removed
            return
        }
        let ids = knownIDs ?? Set(known.ids)
        knownIDs = ids
        for (id, object) in removed where ids.contains(id) { held[id] = object }
    }

    /// The difference since the last call. Nil: there is none.
    func take(_ shown: Shown) -> Shown.Difference? {
        defer {
            (difference, changed, isStale) = (nil, [], false)
            (held, knownIDs) = ([:], nil)
        }
        guard let former = known else {
            known = shown
            return shown.difference(from: Shown(), changed: [])
        }
        guard isStale else { return nil }
        let difference = difference ?? shown.difference(from: former, changed: changed)
        known = shown
        return difference.isEmpty ? nil : difference
    }
}

struct LiveFailure {
    private(set) var error: StoreError?

    /// - Returns: whether an error has appeared or disappeared.
    mutating func note(_ error: StoreError?) -> Bool {
        defer { self.error = error }
        return (self.error == nil) != (error == nil)
    }
}
