import Synchronization

/// The versions of an object that the store keeps.
public enum ObjectVersion: Sendable, Hashable {
    /// As the server last sent it. Of a new object, all is nil, or has its default.
    case server
    /// As the server has it once it has done the request about the object that is on its way; without such a request,
    /// ``server``.
    case inFlight
    /// As it is here, with unsaved edits.
    case local
}

/// One version of an object, at the moment when ``Model/snapshot(_:)`` was called.
///
/// ```swift
/// if issue.title != issue.snapshot(.server).title { … }
/// ```
///
/// Its members are the model's properties. Objects in relationships are the live ones of the context.
@dynamicMemberLookup
public struct ObjectSnapshot<M: Model> {
    /// Which version it is.
    public let version: ObjectVersion
    private let object: M
    private var values: [PropertyIndex: StoredValue] = [:]
    private var lists: [PropertyIndex: [RowID]] = [:]

    fileprivate init(_ version: ObjectVersion, of object: M) {
        (self.version, self.object) = (version, object)
        let state = object._object
        let server = LastSaid(of: state)
        for property in state.model.properties {
            if property.list != nil {
                lists[property.index] =
                    version == .local ? state.memberIDs(property) : server.members(of: property)
            } else {
                values[property.index] =
                    version == .local ? state.stored(property.index) : server.lastValue(property)
            }
        }
        guard version == .inFlight, let sent = state.context?.versionInFlight(of: state.record) else { return }
        values.merge(sent.values) { $1 }
        lists.merge(sent.lists) { $1 }
    }

    /// The value of an attribute.
    public subscript<Value>(dynamicMember member: KeyPath<M.Properties, Attribute<M, Value>>) -> Value {
        let attribute = M.properties[keyPath: member]
        return attribute.decode(index(of: attribute.description).flatMap { values[$0] } ?? .null)
    }

    /// The object that a link leads to; nil if it isn't here.
    public subscript<D: Model>(dynamicMember member: KeyPath<M.Properties, ToOne<M, D>>) -> D? {
        guard let index = index(of: M.properties[keyPath: member].description),
            let target = object._object.model[index].target, let row = values[index]?.row
        else { return nil }
        return object.context?.object(for: RecordID(table: target, row: row)) as? D
    }

    /// The members of a list.
    public subscript<D: Model>(dynamicMember member: KeyPath<M.Properties, ToMany<M, D>>) -> [D] {
        guard let index = index(of: M.properties[keyPath: member].description),
            let target = object._object.model[index].target, let rows = lists[index]
        else { return [] }
        return rows.compactMap { object.context?.object(for: RecordID(table: target, row: $0)) as? D }
    }

    private func index(of property: PropertyDescription) -> PropertyIndex? { object._object.model.index(of: property) }
}

extension Model {
    /// The object as the server last sent it, as the request on its way has it, or as it is here.
    ///
    /// ```swift
    /// let title = issue.snapshot(.server).title
    /// ```
    ///
    /// - Complexity: reads the object's pending edits and its lists from the file.
    public func snapshot(_ version: ObjectVersion) -> ObjectSnapshot<Self> { ObjectSnapshot(version, of: self) }

    /// Returns this object to one of its versions: discards newer edits, saved or not, and those of its lists.
    ///
    /// With ``ObjectVersion/server`` nothing of the object is pending any more, and its entry in the outbox ends. With
    /// ``ObjectVersion/inFlight`` it has the values of the request that is on its way, and newer edits are gone. The
    /// local version takes back nothing. An object that the server doesn't know keeps what is saved. While the outcome
    /// of a request is unknown, the server's values become edits, as the server may have others; lists keep theirs.
    ///
    /// In a draft only the draft's edits are discarded. Embedded objects keep saved edits until the next fetch.
    ///
    /// - Throws: ``StoreError`` if the file can't be written; unsaved edits are gone then.
    public nonisolated(nonsending) func rollback(to version: ObjectVersion) async throws(StoreError) {
        guard version != .local, let context else { return }
        rollback()
        let state = _object.current
        guard isKnownToServer, context.base == nil else { return }
        let sent = version == .inFlight ? context.versionInFlight(of: state.record) : nil
        let edits = state.unsentEdits(of: state.model.properties).union(state.unsentEditsOfMembers)
        let pending = edits.subtracting(sent?.edits ?? [])
        guard !pending.isEmpty else { return }
        let subject = QueuedSubject(state.record)
        if version == .server, context.underway.isSent(state.record) {
            let server = LastSaid(of: state)
            var values = PropertyMap<StoredValue>()
            for property in state.unsentProperties where property.column != nil {
                values[property.index] = server.lastValue(property)
            }
            var batch = WriteBatch()
            batch.rows = [WriteBatch.Row(state.record, values: values, isInsert: false)]
            return try await context.write([batch])
        }
        // A newer edit has taken the place of the one that was sent.
        var values = PropertyMap<StoredValue>()
        for (index, value) in sent?.values ?? [:] { values[index] = value }
        let changes = [
            OutboxChange.takeBack(subject, EditSelection(stamps: pending)), .edit(subject, values),
        ]
        try await context.write([.changingOutbox(values.isEmpty ? [changes[0]] : changes)])
    }
}

extension ObjectState {
    /// The pending edits of links by which objects have joined or left the lists that are these links.
    fileprivate var unsentEditsOfMembers: Set<ChangeStamp> {
        guard let context else { return [] }
        return model.properties.reduce(into: []) { edits, property in
            guard let list = property.list, case .column(let index, _, _) = list.storage,
                case let target = context.schema[list.target], !target.isEmbedded
            else { return }
            let rows = formerMembers(of: property, by: target[index]).union(memberIDs(property))
            for case let member? in rows.map({ context.object(for: RecordID(table: list.target, row: $0)) }) {
                edits.formUnion(member._object.unsentEdits(of: [target[index]]))
            }
        }
    }
}

// MARK: In flight

extension ObjectContext {
    /// The object's values in the request in flight, of any context.
    fileprivate func versionInFlight(of record: RecordID) -> WriteBatch.Confirmation? {
        file.shared { VersionsInFlight() }.version(of: record)
    }

    /// Keeps the versions that a request has, until it ends.
    package func beginVersions(_ confirmations: [WriteBatch.Confirmation]) {
        file.shared { VersionsInFlight() }.begin(confirmations)
    }

    /// Ends that. The values of a request with an unknown outcome are kept until another one is confirmed.
    package func endVersions(_ confirmations: [WriteBatch.Confirmation], _ outcome: Underway.Outcome) {
        file.shared { VersionsInFlight() }.end(confirmations, outcome)
    }

    /// The values of an object in the last request of this process whose outcome is unknown.
    package func valuesInDoubt(of record: RecordID) -> [PropertyIndex: StoredValue] {
        file.shared { VersionsInFlight() }.valuesInDoubt(of: record)
    }
}

/// The objects' values in requests that are on their way. The stores of a process that have one file open share it.
private final class VersionsInFlight: Sendable {
    private struct State {
        var inFlight: [RecordID: WriteBatch.Confirmation] = [:]
        var inDoubt: [RecordID: [PropertyIndex: StoredValue]] = [:]
    }

    private let state = Mutex(State())

    func version(of record: RecordID) -> WriteBatch.Confirmation? { state.withLock { $0.inFlight[record] } }

    func valuesInDoubt(of record: RecordID) -> [PropertyIndex: StoredValue] {
        state.withLock { $0.inDoubt[record] ?? [:] }
    }

    func begin(_ confirmations: [WriteBatch.Confirmation]) {
        state.withLock { state in
            for confirmation in confirmations where !confirmation.isLink {
                state.inFlight[confirmation.record] = confirmation
            }
        }
    }

    func end(_ confirmations: [WriteBatch.Confirmation], _ outcome: Underway.Outcome) {
        state.withLock { state in
            for confirmation in confirmations where !confirmation.isLink {
                state.inFlight[confirmation.record] = nil
                switch outcome {
                case .unknown: state.inDoubt[confirmation.record] = confirmation.values
                case .confirmed: state.inDoubt[confirmation.record] = nil
                default: break
                }
            }
        }
    }
}
