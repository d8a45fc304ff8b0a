/// What a relationship leads to and no row has yet: its identity is all that is known of it.
package struct PendingTarget: Sendable {
    package let model: ModelSchema
    /// Of a part of the identity that isn't a link.
    private let values: [PropertyIndex: StoredValue]
    /// Of a part that is one.
    private let targets: [PropertyIndex: PendingTarget]
    private let shapes: LearnedShapes
    private let arrival: WireShape

    /// - Parameters:
    ///   - key: what it is known by: see ``Writer/pendingKey(of:)``.
    ///   - arrival: how the relationship wrote it.
    /// - Returns: `nil` for a key that is no identity of the model.
    init?(key: String, of model: ModelSchema, in schema: Schema, _ shapes: LearnedShapes, arrival: WireShape) {
        let parts = Writer.parts(ofPendingKey: key, of: model)
        guard parts.count == model.identity.count else { return nil }
        var values: [PropertyIndex: StoredValue] = [:]
        var targets: [PropertyIndex: PendingTarget] = [:]
        for (index, part) in zip(model.identity, parts) {
            if let link = model[index].link {
                targets[index] = PendingTarget(
                    key: part, of: schema[link.target, link.submodel], in: schema, shapes,
                    arrival: shapes[model.table, index])
            } else if let type = model.column(of: index)?.type {
                values[index] = Writer.value(ofPendingText: part, as: type)
            }
        }
        guard values.count + targets.count == parts.count else { return nil }
        (self.model, self.values, self.targets) = (model, values, targets)
        (self.shapes, self.arrival) = (shapes, arrival)
    }

    /// The value of a property; null for what isn't part of the identity.
    package func value(_ property: Property) -> StoredValue { values[property.index] ?? .null }

    /// How the server last wrote the property, or else the relationship the identity.
    package func shape(_ property: Property) -> WireShape {
        let shape = shapes[model.table, property.index]
        return shape.isSeen ? shape : arrival
    }

    /// What a link leads to that is part of the identity.
    package func target(_ link: Property) -> PendingTarget? { targets[link.index] }

    /// The last part of the identity that isn't a link.
    var identityValue: StoredValue { model.identity.last { model[$0].link == nil }.flatMap { values[$0] } ?? .null }

    /// The whole identity, where no part of it is a link.
    var identity: [StoredValue]? { targets.isEmpty ? model.identity.compactMap { values[$0] } : nil }
}

/// What a relationship leads to: an object, or what no row has yet.
package enum RelationshipTarget {
    case object(any Model)
    case pending(PendingTarget)

    /// The target's identity; of several parts the last that isn't a link.
    var identityValue: StoredValue {
        switch self {
        case .object(let object): object._object.identityValue
        case .pending(let target): target.identityValue
        }
    }
}

// MARK: What the relationships of an object lead to

extension ObjectState {
    /// What a link leads to, as it is here.
    package func target(of link: Property) -> RelationshipTarget? {
        if let object = linkedObject(link) { return .object(object) }
        let state = current
        guard state.edits[link.index] == nil, state.linkedRow(link.index) == nil else { return nil }
        return state.pendingTargets(of: link).first.map { .pending($0.target) }
    }

    /// The members of a list, those that wait for their rows at their positions, but for those that an edit has
    /// dismissed.
    package func memberTargets(of list: Property) -> [RelationshipTarget] {
        let members = listedObjects(list).map(RelationshipTarget.object)
        return members.joined(by: current.pendingTargets(of: list), isMerged: list.list?.options.merges == true)
    }

    /// Whether the server may have members that nobody has named here: only a part of a list has come, or none. No edit
    /// means those, as the rest of the list comes beneath it, but for the assignment of a list that never came.
    package func isPartial(_ list: Property) -> Bool {
        let state = current
        guard !state.isInserted, let context, list.list != nil, state.lists[list.index]?.isAssigned != true else {
            return false
        }
        return context.read { reader in try reader.isPartial(ListOwner(list.index, of: state.record)) } ?? false
    }

    /// Whether the server has a member of a list more than once, where the file has it once.
    package func repeatsMember(_ list: Property) -> Bool {
        let state = current
        guard !state.isInserted, let context, list.list != nil else { return false }
        return context.read { reader in try reader.repeatsMember(ListOwner(list.index, of: state.record)) } ?? false
    }

    /// Whether nobody has said what a list is: nothing of it has come.
    package func isUnsaid(_ list: Property) -> Bool {
        let state = current
        guard !state.isInserted, let context, list.list != nil else { return true }
        return context.read { reader in try reader.isUnsaid(ListOwner(list.index, of: state.record)) } ?? true
    }

    /// Whether an assignment says what a list is: nothing of it has come, nor waits for its rows, and what it has was
    /// added here.
    ///
    /// - Parameter old: the members before.
    func mayBeAssigned(_ list: Property, over old: [RowID]) -> Bool {
        let known = lists[list.index]
        guard !isInserted, let context, known?.isAssigned != true, pendingLinks(of: list).isEmpty else { return false }
        let base = known?.isEdited == true ? context.storedMembers(of: self, list.index) ?? [] : old
        if !base.isEmpty {
            // All of them were added here.
            let saved = savedPairs(of: list)
            guard savedUnsent.contains(list.name), base.allSatisfy({ saved[$0]?.isMember == true }) else {
                return false
            }
        }
        return context.read { reader in try reader.isUnsaid(ListOwner(list.index, of: record)) } ?? false
    }

    /// Whether a link waits for its target, as the file has it.
    func waits(for link: PropertyIndex) -> Bool {
        guard !isInserted, model.linkTarget(of: link) != nil else { return false }
        return pendingKey(of: model[link]) != nil
    }

    /// What a link waits for, as the file has it.
    func pendingKey(of link: Property) -> String? { pendingLinks(of: link).first?.key }

    /// The identity that a link led to before a whole list omitted the object. It is kept for links that the URL
    /// includes.
    func formerKey(of link: Property) -> String? {
        guard !isInserted, let context, context.schema.contains(model.table),
            context.schema.isAddress(link.index, of: model.table)
        else { return nil }
        return context.read { reader in try reader.formerKey(of: self.record, by: link.index) } ?? nil
    }

    /// The keys of the members that wait, as this context sees the list.
    package func waitingMembers(of list: Property) -> Set<String> {
        let dismissed = current.lists[list.index]?.dismissed ?? []
        return Set(pendingLinks(of: list).map(\.key)).subtracting(dismissed)
    }

    /// Whether the file has members waiting that an edit dismisses.
    func waits(for list: PropertyIndex, amongKeys dismissed: Set<String>) -> Bool {
        !dismissed.isEmpty && pendingLinks(of: model[list]).contains { dismissed.contains($0.key) }
    }

    private func pendingTargets(of property: Property) -> [(target: PendingTarget, position: Int)] {
        let dismissed = lists[property.index]?.dismissed ?? []
        return pendingLinks(of: property).filter { !dismissed.contains($0.key) }.compactMap { link in
            pendingTarget(known: link.key, by: property).map { ($0, link.position ?? .max) }
        }
    }

    func pendingTarget(known key: String, by relationship: Property) -> PendingTarget? {
        guard let context, let target = context.schema.target(of: relationship) else { return nil }
        return PendingTarget(
            key: key, of: target, in: context.schema, context.shapes, arrival: shape(relationship))
    }

    private func pendingLinks(of property: Property) -> [PendingLink] {
        guard !isInserted, let context, let target = property.target, context.schema.contains(target) else { return [] }
        return context.read { reader in try reader.pendingLinks(of: self.record, by: property.index) } ?? []
    }
}

extension [RelationshipTarget] {
    /// With those that wait, each at its position in the whole; behind the others in a list that is merged.
    fileprivate func joined(by waiting: [(target: PendingTarget, position: Int)], isMerged: Bool) -> Self {
        var joined: Self = []
        var waiting = waiting.sorted { $0.position < $1.position }[...]
        for member in self {
            while !isMerged, let next = waiting.first, next.position <= joined.count {
                joined.append(.pending(next.target))
                waiting.removeFirst()
            }
            joined.append(member)
        }
        return joined + waiting.map { .pending($0.target) }
    }
}
