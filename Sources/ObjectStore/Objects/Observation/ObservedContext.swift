import Observation

/// A value of a context, rather than of one of its objects.
package enum ContextAspect: Hashable, Sendable {
    case hasChanges
    /// The objects of a table with unsent changes. Nil: of all tables.
    case unsent(TableID?)
    /// An object's entry in the outbox. Nil: the number of all entries.
    case outbox(RecordID?)
    /// When an answer last had the object, or confirmed it.
    case lastAnswer(RecordID)
    /// How far a list has been listed.
    case listing(Listing.Key)
    /// How far all lists have been listed.
    case listings

    /// Whether an answer can change it that changes no row.
    fileprivate var isOfAnswers: Bool {
        switch self {
        case .hasChanges, .unsent: false
        // Requests that begin or end change no row, as answers do.
        case .lastAnswer, .listing, .listings, .outbox: true
        }
    }
}

/// The values of a context that somebody tracks.
///
/// A context has one as long as a value is tracked. After each step of the context the tracked values are read again,
/// and those who track one that has changed are woken.
final class ObservedContext: QueryFollower {
    /// What the registrar tells apart by a key path.
    private struct Context: Observable {
        subscript(aspect: ContextAspect) -> Bool { true }
    }

    /// All tables: any change of an object or a row can change a value.
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

    /// Wakes those who track a value that has changed.
    ///
    /// - Returns: whether nothing is tracked any more.
    fileprivate func tell(_ context: ObjectContext) -> Bool {
        for (aspect, hasChanged) in hasChanged where hasChanged(context) {
            self.hasChanged[aspect] = nil
            registrar.withMutation(of: Context(), keyPath: \Context[aspect]) {}
        }
        return hasChanged.isEmpty
    }

    /// Does nothing: the context reads the values again by itself (``ObjectContext/tellTrackers()``).
    func follow(_ news: TableNews) {}

    func end() {}
}

extension ObjectContext {
    /// Notes the read of a value, if somebody tracks it.
    ///
    /// - Parameters:
    ///   - value: the value that was read.
    ///   - read: reads it again. It holds no object of the context.
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

    /// Wakes those who track a value of the context that has changed.
    func tellTrackers() {
        guard let observed else { return }
        if observed.tell(self) { self.observed = nil }
        handle.setTracksAnswers(self.observed?.tracksAnswers ?? false)
    }
}
