// The facts that a request shares with requests about other objects (``RequestScope``).

extension ObjectContext {
    /// For a request that sends relationships of an object.
    ///
    /// - Parameters:
    ///   - sent: the properties in the body. Attributes are ignored, since requests about one object take turns.
    ///   - edited: those with pending edits.
    ///   - furtherFacts: further facts with pending edits that the request sends.
    package func scope(
        of object: ObjectState, sending sent: [Property], editing edited: [Property], furtherFacts: [SentFact]
    ) -> RequestScope {
        let state = object.current
        guard !isEnded else { return RequestScope(state.record) }
        let facts = sent.filter { $0.target != nil }.map { SentFact(.relationship($0.index), of: state.record) }
        let edits = edited.filter { $0.target != nil }.map { SentFact(.relationship($0.index), of: state.record) }
        let others = edited.flatMap { otherSides(of: $0, in: state) } + furtherFacts.flatMap(otherOwners)
        let all = Set(edits + others + furtherFacts)
        return RequestScope(
            state.record, sending: Set(facts + edits + furtherFacts), editing: all, links: all.filter(isLink),
            naming: named(by: state, sent))
    }

    /// For a request that adds a member to a list, or removes it.
    ///
    /// - Parameter isWhole: whether the request sends all properties of the member.
    package func scope(
        of member: ObjectState, inListOf owner: ListOwner, sendingWhole isWhole: Bool = false
    ) -> RequestScope {
        guard !isEnded else { return RequestScope(member.record) }
        let sent = isWhole ? member.model.properties.filter { $0.target != nil } : []
        let list = SentFact(.relationship(owner.property), of: owner.record)
        let inverse = schema[owner.record.table][owner.property].inverse
        let facts = [list] + (inverse.map { [SentFact(.relationship($0), of: member.record)] } ?? [])
        let all = Set(facts + facts.flatMap(otherOwners))
        return RequestScope(
            member.record, sending: Set(sent.map { SentFact(.relationship($0.index), of: member.record) }),
            editing: all, links: all.filter(isLink),
            naming: named(by: member.current, []).union([owner.record, member.record]))
    }

    /// For a request that sets all members of a list.
    ///
    /// - Parameters:
    ///   - members: the members after the request.
    ///   - deletes: whether the server deletes the former members.
    package func scope(
        ofWhole list: Property, of owner: ObjectState, with members: [ObjectState], deletes: Bool
    ) -> RequestScope {
        guard !isEnded, let target = list.target else { return RequestScope(owner.record) }
        let own = SentFact(.relationship(list.index), of: owner.record)
        let former = (storedMembers(of: owner.current, list.index) ?? []).map { RecordID(table: target, row: $0) }
        let rows = Set(former + members.map(\.record))
        let back = list.inverse.map { inverse in rows.map { SentFact(.relationship(inverse), of: $0) } } ?? []
        let all = Set([own] + back + (deletes ? rows.map { SentFact(.row, of: $0) } : []))
        return RequestScope(
            owner.record, sending: all, editing: all, links: all.filter(isLink),
            naming: rows.union([owner.record]))
    }

    /// For a request that deletes an object, or whose body is still unknown.
    package func scope(of object: ObjectState, naming properties: [Property] = [], deletes: Bool = false)
        -> RequestScope
    {
        guard !isEnded else { return RequestScope(object.record, changesSubject: deletes) }
        return RequestScope(object.record, naming: named(by: object.current, properties), changesSubject: deletes)
    }

    /// The objects that the properties and the URL name.
    private func named(by state: ObjectState, _ properties: [Property]) -> Set<RecordID> {
        let inURL = state.model.properties.filter { $0.link != nil && state.model.hasInURL($0) }
        var named: Set<RecordID> = []
        for property in properties + inURL {
            guard let target = property.target, schema.contains(target), !schema[target].isEmbedded else { continue }
            let isList = property.list != nil
            let rows = isList ? state.memberIDs(property) : [state.linkedRow(property.index)].compactMap(\.self)
            for row in rows { named.insert(RecordID(table: target, row: row)) }
        }
        return named
    }

    /// The relationship as seen from its former and present targets.
    private func otherSides(of property: Property, in state: ObjectState) -> [SentFact] {
        guard let target = property.target, let inverse = property.inverse, !schema[target].isEmbedded else {
            return []
        }
        let rows: [RowID]
        if property.link != nil {
            rows = [ServerValues(of: state).lastValue(property).row, state.linkedRow(property.index)].compactMap(\.self)
        } else if property.list?.isOfLinks == false {
            rows = Array(state.savedPairs(of: property).keys) + Array(toggles(of: property.index, in: state).keys)
        } else {
            return []
        }
        return rows.map { SentFact(.relationship(inverse), of: RecordID(table: target, row: $0)) }
    }

    /// For a link, which a list decides on: the lists of its former and present owners.
    private func otherOwners(of fact: SentFact) -> [SentFact] {
        guard isLink(fact), case .relationship(let index) = fact.part,
            let state = liveObject(fact.record)?._object.current
        else { return [] }
        return otherSides(of: state.model[index], in: state)
    }

    private func isLink(_ fact: SentFact) -> Bool {
        guard case .relationship(let index) = fact.part else { return false }
        return schema[fact.record.table][index].link != nil
    }
}
