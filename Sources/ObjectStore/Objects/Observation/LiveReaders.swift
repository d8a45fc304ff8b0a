/// Those who read a live result, as long as they are there. Nobody says when one is let go of, which may be on any
/// thread.
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

/// Wakes one reader of a live result.
class LiveSignal {
    private let continuation: AsyncStream<Void>.Continuation
    private var signals: AsyncStream<Void>.Iterator

    init() {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.continuation = continuation
        signals = stream.makeAsyncIterator()
        continuation.yield()
    }

    /// Something may be new.
    final func wake() { continuation.yield() }

    final func end() { continuation.finish() }

    /// Waits until there may be something new.
    final func wait(isolation actor: isolated (any Actor)?) async -> Bool {
        await signals.next(isolation: actor) != nil
    }
}

/// What one reader of a live list has not been told of yet.
final class LiveReader<Shown: LiveShown>: LiveSignal {
    /// What the reader knows, once it was told of something.
    private var known: Shown?
    /// What has happened since, if that was one change.
    private var difference: Shown.Difference?
    private var changed: Set<ObjectIdentifier> = []
    private var isStale = false

    /// Notes a change of the list.
    func note(_ difference: Shown.Difference, from former: Shown, _ changed: [ObjectIdentifier]) {
        guard known != nil else { return }
        self.difference = isStale ? nil : difference
        if !isStale { known = former }
        isStale = true
        self.changed.formUnion(changed)
        wake()
    }

    /// What has come of all that has happened since the reader was told; `nil` where that is nothing.
    func take(_ shown: Shown) -> Shown.Difference? {
        defer { (difference, changed, isStale) = (nil, [], false) }
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

/// Why a live result is not what it should be.
struct LiveFailure {
    private(set) var error: StoreError?

    /// - Returns: whether there is an error now and was none, or the other way round.
    mutating func note(_ error: StoreError?) -> Bool {
        defer { self.error = error }
        return (self.error == nil) != (error == nil)
    }
}
