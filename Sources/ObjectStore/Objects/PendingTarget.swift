/// The target of a relationship of which only the identity is known.
package struct PendingTarget: Sendable {
    package let model: ModelSchema
    private let values: [PropertyIndex: StoredValue]
    private let targets: [PropertyIndex: PendingTarget]
    private let shapes: LearnedShapes
    private let relationshipShape: WireShape

    /// - Parameters:
    ///   - key: the text of the identity; see ``Writer/pendingKey(of:)``.
    ///   - relationshipShape: how the server wrote the identity in the relationship.
    /// - Returns: `nil` if the key contradicts the model's identity.
    init?(key: String, of model: ModelSchema, in schema: Schema, _ shapes: LearnedShapes, relationshipShape: WireShape)
    {
        let parts = Writer.parts(ofPendingKey: key, of: model)
        guard parts.count == model.identity.count else { return nil }
        var values: [PropertyIndex: StoredValue] = [:]
        var targets: [PropertyIndex: PendingTarget] = [:]
        for (index, part) in zip(model.identity, parts) {
            if let link = model[index].link {
                targets[index] = PendingTarget(
                    key: part, of: schema[link.target, link.submodel], in: schema, shapes,
                    relationshipShape: shapes[model.table, index])
            } else if let type = model.column(of: index)?.type {
                values[index] = Writer.value(ofPendingText: part, as: type)
            }
        }
        guard values.count + targets.count == parts.count else { return nil }
        (self.model, self.values, self.targets) = (model, values, targets)
        (self.shapes, self.relationshipShape) = (shapes, relationshipShape)
    }

    /// Null for properties outside the identity.
    package func value(_ property: Property) -> StoredValue { values[property.index] ?? .null }

    /// How the server last wrote the property; by default, how it wrote the identity in the relationship.
    package func shape(_ property: Property) -> WireShape {
        let shape = shapes[model.table, property.index]
        return shape.isSeen ? shape : relationshipShape
    }

    package func target(_ link: Property) -> PendingTarget? { targets[link.index] }

    var identityValue: StoredValue { model.identity.last { model[$0].link == nil }.flatMap { values[$0] } ?? .null }

    /// `nil` if a part is a link.
    var identity: [StoredValue]? { targets.isEmpty ? model.identity.compactMap { values[$0] } : nil }
}

package enum RelationshipTarget {
    case object(any Model)
    case pending(PendingTarget)

    /// The last attribute of the identity.
    var identityValue: StoredValue {
        switch self {
        case .object(let object): object._object.identityValue
        case .pending(let target): target.identityValue
        }
    }
}

// MARK: Targets of relationships

extension ObjectState {
    package func target(of link: Property) -> RelationshipTarget? {
        if let object = linkedObject(link) { return .object(object) }
        let state = current
        guard state.edits[link.index] == nil, state.linkedRow(link.index) == nil else { return nil }
        return state.pendingTargets(of: link).first.map { .pending($0.target) }
    }

    /// The list's members, pending ones at their positions. Those that an edit removes are left out.
    package func memberTargets(of list: Property) -> [RelationshipTarget] {
        let members = listedObjects(list).map(RelationshipTarget.object)
        return members.joined(by: current.pendingTargets(of: list), isMerged: list.list?.options.merges == true)
    }

    /// Whether the server may have members that are unknown locally. Edits leave these alone, except the assignment of
    /// an unfetched list.
    package func isPartial(_ list: Property) -> Bool {
        let state = current
        guard !state.isInserted, let context, list.list != nil, state.lists[list.index]?.isAssigned != true else {
            return false
        }
        return context.read { reader in try reader.isPartial(ListOwner(list.index, of: state.record)) } ?? false
    }

    /// Whether the server's list repeats a member. The file has it once.
    package func repeatsMember(_ list: Property) -> Bool {
        let state = current
        guard !state.isInserted, let context, list.list != nil else { return false }
        return context.read { reader in try reader.repeatsMember(ListOwner(list.index, of: state.record)) } ?? false
    }

    /// Whether the list was never fetched or set. True for new objects.
    package func isUnloaded(_ list: Property) -> Bool {
        let state = current
        guard !state.isInserted, let context, list.list != nil else { return true }
        return context.read { reader in try reader.isUnloaded(ListOwner(list.index, of: state.record)) } ?? true
    }

    /// Whether an assignment can define all members: the list is unfetched and lacks pending links, and all of its
    /// members were added locally.
    func mayBeAssigned(_ list: Property, over old: [RowID]) -> Bool {
        let known = lists[list.index]
        guard !isInserted, let context, known?.isAssigned != true, pendingLinks(of: list).isEmpty else { return false }
        let base = known?.isEdited == true ? context.storedMembers(of: self, list.index) ?? [] : old
        if !base.isEmpty {
            let saved = savedPairs(of: list)
            guard savedUnsent.contains(list.name), base.allSatisfy({ saved[$0]?.isMember == true }) else {
                return false
            }
        }
        return context.read { reader in try reader.isUnloaded(ListOwner(list.index, of: record)) } ?? false
    }

    /// Whether the file has a pending link.
    func waits(for link: PropertyIndex) -> Bool {
        guard !isInserted, model.linkTarget(of: link) != nil else { return false }
        return pendingKey(of: model[link]) != nil
    }

    func pendingKey(of link: Property) -> String? { pendingLinks(of: link).first?.key }

    /// The identity that a link referenced before a whole list omitted the object, for links that the URL includes.
    func formerKey(of link: Property) -> String? {
        guard !isInserted, let context, context.schema.contains(model.table),
            context.schema.isAddress(link.index, of: model.table)
        else { return nil }
        return context.read { reader in try reader.formerKey(of: self.record, by: link.index) } ?? nil
    }

    /// The keys of pending members, except those removed here.
    package func waitingMembers(of list: Property) -> Set<String> {
        let dismissed = current.lists[list.index]?.dismissed ?? []
        return Set(pendingLinks(of: list).map(\.key)).subtracting(dismissed)
    }

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
            key: key, of: target, in: context.schema, context.shapes, relationshipShape: shape(relationship))
    }

    private func pendingLinks(of property: Property) -> [PendingLink] {
        guard !isInserted, let context, let target = property.target, context.schema.contains(target) else { return [] }
        return context.read { reader in try reader.pendingLinks(of: self.record, by: property.index) } ?? []
    }
}

extension [RelationshipTarget] {
    /// Positions are those in the whole list. In a merged list, pending targets come last.
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
