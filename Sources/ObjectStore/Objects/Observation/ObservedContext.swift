import Observation

/// A value of a context, rather than of one of its objects.
package enum ContextAspect: Hashable, Sendable {
    case hasChanges
    /// The objects of a table with unsent changes. Nil: of all tables.
    case unsent(TableID?)
    /// An object's entry in the outbox. Nil: the numbers of all entries and of rejected ones.
    case outbox(RecordID?)
    /// The APIs to which the outbox sends nothing until the user has signed in.
    case outboxPauses
    /// When the server last sent or confirmed a reply with the object.
    case lastAnswer(RecordID)
    /// The progress of listing a list.
    case listing(Listing.Key)
    /// The progress of listing all lists.
    case listings

    /// Whether a reply that changes no row can change it.
    fileprivate var isOfAnswers: Bool {
        switch self {
        case .hasChanges, .unsent: false
        // Like replies, the begin and the end of a request change no row.
        case .lastAnswer, .listing, .listings, .outbox, .outboxPauses: true
        }
    }
}

/// The tracked values of a context. It exists while a value is tracked.
///
/// After each step of the context, the tracked values are read again, and observers of changed ones are notified.
final class ObservedContext: QueryFollower {
    /// The registrar identifies a value by a key path of this type.
    private struct Context: Observable {
        subscript(aspect: ContextAspect) -> Bool { true }
    }

    /// All tables, since any change of an object or a row can change a value.
    let tables: Set<TableID>
    private let registrar = ObservationRegistrar()
    /// For each tracked value, a function that reads it again and returns whether it has changed.
    private var hasChanged: [ContextAspect: (ObjectContext) -> Bool] = [:]

    init(_ schema: Schema) { tables = Set(schema.roots.map(\.table)) }

    var tracksAnswers: Bool { hasChanged.keys.contains(where: \.isOfAnswers) }

    fileprivate func noteRead(_ aspect: ContextAspect, _ hasChanged: @escaping (ObjectContext) -> Bool) {
        registrar.access(Context(), keyPath: \Context[aspect])
        if self.hasChanged[aspect] == nil { self.hasChanged[aspect] = hasChanged }
    }

    /// Notifies observers of changed values.
    ///
    /// - Returns: whether no value is tracked any more.
    fileprivate func tell(_ context: ObjectContext) -> Bool {
        for (aspect, hasChanged) in hasChanged where hasChanged(context) {
            self.hasChanged[aspect] = nil
            registrar.withMutation(of: Context(), keyPath: \Context[aspect]) {}
        }
        return hasChanged.isEmpty
    }

    /// Does nothing, since the context reads the values again itself (``ObjectContext/tellTrackers()``).
    func follow(_ news: TableNews) {}

    func end() {}
}

extension ObjectContext {
    /// Notes the read of a value, if it is tracked.
    ///
    /// - Parameter read: reads it again. It holds no object of the context.
    /// - Complexity: while the value is tracked, each step of the context reads it again.
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

    /// Notifies observers of changed values of the context.
    func tellTrackers() {
        guard let observed else { return }
        if observed.tell(self) { self.observed = nil }
        handle.setTracksAnswers(self.observed?.tracksAnswers ?? false)
    }
}
