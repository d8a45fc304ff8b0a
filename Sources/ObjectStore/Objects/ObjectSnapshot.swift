import Synchronization

/// The versions of an object that the store keeps.
public enum ObjectVersion: Sendable, Hashable {
    /// The version that the server last sent. A new object has nil or defaults.
    case server
    /// The version with the request in flight accepted; without one, as ``server``.
    case inFlight
    /// The local version, with unsaved edits.
    case local
}

/// One version of an object; see ``Model/snapshot(_:)``.
///
/// ```swift
/// if issue.title != issue.snapshot(.server).title { … }
/// ```
///
/// Objects in relationships are the live ones of the context.
@dynamicMemberLookup
public struct ObjectSnapshot<M: Model> {
    /// The version that was asked for.
    public let version: ObjectVersion
    private let object: M
    private var values: [PropertyIndex: StoredValue] = [:]
    private var lists: [PropertyIndex: [RowID]] = [:]

    fileprivate init(_ version: ObjectVersion, of object: M) {
        (self.version, self.object) = (version, object)
        let state = object._object
        let server = ServerValues(of: state)
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

    /// The object that a link references; nil if the store lacks it.
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
    /// Returns a version of the object: `issue.snapshot(.server).title`.
    ///
    /// - Complexity: reads the object's pending edits and its lists from the file.
    public func snapshot(_ version: ObjectVersion) -> ObjectSnapshot<Self> { ObjectSnapshot(version, of: self) }

    /// Returns this object to one of its versions: discards newer edits, saved and unsaved, also of its lists.
    ///
    /// ``ObjectVersion/server`` discards all pending edits and ends the object's entry in the outbox.
    /// ``ObjectVersion/inFlight`` keeps the values of the request in flight, except unsaved edits of lists.
    /// ``ObjectVersion/local`` does nothing. An object unknown to the server keeps its saved values.
    ///
    /// While the outcome of a request is unknown, the server's values become edits, because the server may have others.
    /// Lists keep their edits, and so do links to a server's object that the store lacks. Embedded objects keep saved
    /// edits until the next fetch. In a draft, only the draft's edits are discarded.
    ///
    /// This waits for saves of the context in progress.
    ///
    /// - Throws: ``StoreError`` if writing the file fails; unsaved edits are gone then.
    public nonisolated(nonsending) func rollback(to version: ObjectVersion) async throws(StoreError) {
        guard version != .local, let context else { return }
        // A save in progress would write the discarded edits afterwards.
        await context.finishSaves()
        let state = _object.current
        let unsaved = state.edits
        rollback()
        guard isKnownToServer, context.base == nil else { return }
        let sent = version == .inFlight ? context.versionInFlight(of: state.record) : nil
        let edits = state.unsentEdits(of: state.model.properties).union(state.unsentEditsOfMembers)
        if let sent { context.setBack(unsaved, of: state, to: sent.values) }
        let pending = edits.subtracting(sent?.edits ?? [])
        guard !pending.isEmpty else { return }
        let subject = QueuedSubject(state.record)
        if sent == nil, context.operations.isSent(state.record) {
            let server = ServerValues(of: state)
            var values = PropertyMap<StoredValue>()
            for property in state.unsentProperties {
                for (index, value) in server.columnValues(of: property) ?? [:] { values[index] = value }
            }
            var batch = WriteBatch()
            batch.rows = [WriteBatch.Row(state.record, values: values, isInsert: false)]
            return try await context.write([batch])
        }
        // The sent value replaces a newer saved edit.
        let replaced = state.savedUnsent.entries.filter { pending.contains($0.value.stamp) }
        var values = PropertyMap<StoredValue>()
        for (index, value) in sent?.values ?? [:] where replaced[state.model[index].name] != nil {
            values[index] = value
        }
        let changes = [
            OutboxChange.discardEdits(subject, EditSelection(stamps: pending)), .edit(subject, values),
        ]
        try await context.write([.changingOutbox(values.isEmpty ? [changes[0]] : changes)])
    }
}

extension ObjectState {
    /// Edits of members' links, including members that left.
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
    fileprivate func setBack(_ discarded: EditMap, of state: ObjectState, to sent: [PropertyIndex: StoredValue]) {
        for (index, _) in discarded {
            guard let value = sent[index], value != state.stored(index) else { continue }
            setBack(index, of: state, to: value)
        }
        notifyObservers()
    }

    /// The object's request in flight, from any context.
    fileprivate func versionInFlight(of record: RecordID) -> WriteBatch.Confirmation? {
        file.shared { VersionsInFlight() }.version(of: record)
    }

    package func beginVersions(_ confirmations: [WriteBatch.Confirmation]) {
        file.shared { VersionsInFlight() }.begin(confirmations)
    }

    /// After an unknown outcome, the values stay at risk until another request for the object is accepted.
    package func endVersions(_ confirmations: [WriteBatch.Confirmation], _ outcome: InFlightOperations.Outcome) {
        file.shared { VersionsInFlight() }.end(confirmations, outcome)
    }

    /// The values in this process's last request for the object with an unknown outcome.
    package func valuesAtRisk(of record: RecordID) -> [PropertyIndex: StoredValue] {
        file.shared { VersionsInFlight() }.valuesAtRisk(of: record)
    }
}

/// Shared by all stores of a process with the same file.
private final class VersionsInFlight: Sendable {
    private struct State {
        var inFlight: [RecordID: WriteBatch.Confirmation] = [:]
        var atRisk: [RecordID: [PropertyIndex: StoredValue]] = [:]
    }

    private let state = Mutex(State())

    func version(of record: RecordID) -> WriteBatch.Confirmation? { state.withLock { $0.inFlight[record] } }

    func valuesAtRisk(of record: RecordID) -> [PropertyIndex: StoredValue] {
        state.withLock { $0.atRisk[record] ?? [:] }
    }

    func begin(_ confirmations: [WriteBatch.Confirmation]) {
        state.withLock { state in
            for confirmation in confirmations where !confirmation.isLink {
                state.inFlight[confirmation.record] = confirmation
            }
        }
    }

    func end(_ confirmations: [WriteBatch.Confirmation], _ outcome: InFlightOperations.Outcome) {
        state.withLock { state in
            for confirmation in confirmations where !confirmation.isLink {
                state.inFlight[confirmation.record] = nil
                switch outcome {
                case .unknown: state.atRisk[confirmation.record] = confirmation.values
                case .confirmed: state.atRisk[confirmation.record] = nil
                default: break
                }
            }
        }
    }
}
