import Observation

package enum ContextAspect: Hashable, Sendable {
    case hasChanges
    /// The unsent objects of a table, or of all tables.
    case unsent(TableID?)
    /// The entry of an object. Nil: the numbers of all entries and of rejected ones.
    case outbox(RecordID?)
    /// The APIs that wait until the user has signed in.
    case outboxPauses
    case lastAnswer(RecordID)
    case listing(Listing.Key)
    case listings

    /// Whether a reply that changes no row can change the value.
    fileprivate var isOfAnswers: Bool {
        switch self {
        case .hasChanges, .unsent: false
        // The begin and the end of a request change no row either.
        case .lastAnswer, .listing, .listings, .outbox, .outboxPauses: true
        }
    }
}

/// The tracked values of a context, which are read again after each step. It exists while a value is tracked.
final class ObservedContext: QueryFollower {
    /// The registrar identifies a value by a key path of this type.
    private struct Context: Observable {
        subscript(aspect: ContextAspect) -> Bool { true }
    }

    let tables: Set<TableID>
    private let registrar = ObservationRegistrar()
    /// For each tracked value: reads it again, and returns whether it has changed.
    private var hasChanged: [ContextAspect: (ObjectContext) -> Bool] = [:]

    init(_ schema: Schema) { tables = Set(schema.roots.map(\.table)) }

    var tracksAnswers: Bool { hasChanged.keys.contains(where: \.isOfAnswers) }

    fileprivate func noteRead(_ aspect: ContextAspect, _ hasChanged: @escaping (ObjectContext) -> Bool) {
        registrar.access(Context(), keyPath: \Context[aspect])
        if self.hasChanged[aspect] == nil { self.hasChanged[aspect] = hasChanged }
    }

    /// - Returns: whether no value is tracked any more.
    fileprivate func notify(_ context: ObjectContext) -> Bool {
        for (aspect, hasChanged) in hasChanged where hasChanged(context) {
            self.hasChanged[aspect] = nil
            registrar.withMutation(of: Context(), keyPath: \Context[aspect]) {}
        }
        return hasChanged.isEmpty
    }

    /// The context reads the values again itself (``ObjectContext/notifyTrackers()``).
    func follow(_ tableChanges: TableChanges) {}

    func end() {}
}

extension ObjectContext {
    /// - Parameter read: reads the value again. It holds no object of the context.
    /// - Complexity: while the value is tracked, each step of the context reads it.
    package func noteRead<Value: Equatable>(
        _ aspect: ContextAspect, _ value: Value, again read: @escaping (ObjectContext) -> Value
    ) {
        guard isReadTracked(), !isEnded else { return }
        let observed = observed ?? ObservedContext(schema)
        if self.observed == nil {
            self.observed = observed
            follow(observed)
        }
        observed.noteRead(aspect) { read($0) != value }
        handle.setTracksAnswers(observed.tracksAnswers)
    }

    func notifyTrackers() {
        guard let observed else { return }
        if observed.notify(self) { self.observed = nil }
        handle.setTracksAnswers(self.observed?.tracksAnswers ?? false)
    }
}
