// What the remote half needs to know of an object: which properties the server has not been told, and their values.

extension ObjectState {
    // MARK: Which properties

    /// The properties that were changed and that the server has not confirmed: edited here, or saved and not sent. In
    /// the order of their declaration, without those that are never sent, and without lists that their members' links
    /// tell of.
    package var unsentProperties: [Property] {
        let saved = savedUnsent.entries
        let state = current
        return model.declared.filter { property in
            let isEdited =
                state.edits[property.index] != nil || state.hasEditedList(property.index)
                || saved[property.name] != nil || !state.editedEmbedding(property).isEmpty
            return isEdited && !property.isNeverSent && !isToldByMembers(property)
        }
    }

    /// Whether a list is its members' links, which go out with them, and isn't known to be here whole: the links say
    /// what the list can't.
    private func isToldByMembers(_ property: Property) -> Bool {
        guard let list = property.list, case .column = list.storage, let link = context?.schema.inverse(of: property),
            !link.isNeverSent
        else { return false }
        return isPartial(property)
    }

    /// What is saved of the row and the server has not confirmed.
    var savedUnsent: UnsentChanges {
        guard !isInserted, let context else { return UnsentChanges() }
        return context.read { reader in try reader.unsentChanges(of: self.record) } ?? UnsentChanges()
    }

    /// Whether something was edited after that.
    func hasEdits(since stamp: ChangeStamp) -> Bool {
        edits.contains { $0.value.stamp > stamp }
            || lists.contains { $0.value.isEdited && ($0.value.stamp ?? stamp) > stamp }
    }

    /// Whether a list was edited and not saved, in what this is a draft of, too.
    package func hasEdited(_ property: Property) -> Bool {
        current.hasEditedList(property.index) || current.isEditedBelow(property.index)
    }

    /// Whether an edit of a list that waits says of a row whether it is a member.
    ///
    /// - Parameter known: edits that don't count.
    package func hasDecided(
        _ row: RowID, in list: Property, isMember: Bool, besides known: Set<ChangeStamp>
    ) -> Bool {
        let state = current
        if let own = state.lists[list.index], own.isEdited, let stamp = own.toggles[row],
            known.allSatisfy({ $0 < stamp })
        {
            return own.members.contains(row) == isMember
        }
        guard let edit = state.savedPairs(of: list)[row], !known.contains(edit.stamp) else { return false }
        return edit.isMember == isMember
    }

    /// The members that saved edits have added to a list, and of which the server has not been told.
    package func addedMembers(of property: Property) -> Set<RowID> {
        Set(savedPairs(of: property).filter(\.value.isMember).keys)
    }

    /// The edits of a list's memberships that are saved and that the server has not confirmed, by member.
    func savedPairs(of property: Property) -> [RowID: PairEdit] {
        guard !isInserted, let list = property.list, !list.isOfLinks, let context else { return [:] }
        return context.read { reader in try reader.pairs(of: list, owner: self.localID) } ?? [:]
    }

    /// The members of a list that unsaved edits have added or removed, with the time of each edit.
    func unsavedToggles(of property: Property) -> [RowID: ChangeStamp] {
        current.lists[property.index].map { $0.isEdited ? $0.toggles : [:] } ?? [:]
    }

    /// The embedded objects that a relationship references, or did before it was edited, and that have unsaved edits;
    /// those in them included.
    package func editedEmbedding(_ property: Property) -> [any Model] {
        guard let context, context.schema.hasEmbedded, !context.unsaved.isEmpty, let target = property.target,
            context.schema.contains(target), context.schema[target].isEmbedded
        else { return [] }
        var edited: [any Model] = []
        // Embedded objects that were linked here may lead to each other.
        var seen: Set<ObjectIdentifier> = []
        var waiting = [self]
        while let next = waiting.popLast() {
            let relationships = next === self ? [property] : next.model.properties.filter(next.leadsToEmbedded)
            let targets = relationships.flatMap { next.targets(of: $0) + next.formerTargets($0) }
            for object in targets where seen.insert(ObjectIdentifier(object)).inserted {
                if object._object.hasEdits { edited.append(object) }
                waiting.append(object._object)
            }
        }
        return edited
    }

    /// What an edited relationship has led to, of what is here: to have left it is an edit too where there is an
    /// inverse.
    private func formerTargets(_ property: Property) -> [any Model] {
        guard let context, let table = property.target else { return [] }
        let former =
            lists[property.index]?.removed
            ?? edits[property.index].flatMap { _ in snapshot.value(property.index).row.map { [$0] } }
        return (former ?? []).compactMap { context.liveObject(RecordID(table: table, row: $0)) }
    }

    /// Whether relationships of the object lead to what is embedded.
    var mayHaveParts: Bool {
        guard let context, context.schema.hasEmbedded else { return false }
        return model.properties.contains(where: leadsToEmbedded)
    }

    func leadsToEmbedded(_ property: Property) -> Bool {
        guard let context, let target = property.target, context.schema.contains(target) else { return false }
        return context.schema[target].isEmbedded
    }

    /// Whether the server knows the object: it has said its identity, or confirmed it, whatever that is here by now.
    package var isAtServer: Bool { !isInserted && !model.isEmbedded && LastSaid(of: self).hasIdentity }

    /// Whether the server knows an embedded object: it has said it, or confirmed what it was made of here.
    var isKnownPart: Bool {
        guard !isInserted else { return false }
        guard localID.isOfNewObject else { return true }
        let entries = savedUnsent.entries.values
        return entries.isEmpty || entries.contains { !$0.base.isNull }
    }

    /// The rows of all that is embedded in the object, as it is now.
    var embeddedRecords: Set<RecordID> {
        var records: Set<RecordID> = []
        var waiting = [self]
        while let next = waiting.popLast() {
            for part in next.model.properties.filter(next.leadsToEmbedded).flatMap(next.targets)
            where records.insert(part._object.record).inserted {
                waiting.append(part._object)
            }
        }
        return records
    }

    /// Whether the object has a whole identity: whether the server knows it.
    package var hasIdentity: Bool { !model.identity.contains { stored($0).isNull } }

    /// The attributes and links of which neither the server nor an edit here has said what they are: they are nil or
    /// have their defaults because nothing has come.
    ///
    /// - Complexity: one look into the file for an object that is in it.
    package var unsaidProperties: Set<PropertyIndex> {
        // Of what the server doesn't know, all is said here.
        guard model.isEmbedded ? !isInserted : isAtServer, let context else { return [] }
        let (state, saved) = (current, savedUnsent.entries)
        let said = context.read { reader in try reader.said(of: state.record) } ?? nil
        guard let said else { return [] }
        return Set(
            model.columns.map(\.property).filter { property in
                // A part of the identity may have come with an address.
                !said.contains(property, of: model) && !model.identity.contains(property)
                    && state.edits[property] == nil && saved[model[property].name] == nil
            })
    }

    // MARK: Values

    /// The value that a property has now, as it is stored.
    package func storedValue(_ property: Property) -> StoredValue { stored(property.index) }

    /// The value that an attribute has now, in JSON as the server writes it.
    package func wireText(_ property: Property) throws(UnsendableValue) -> WireText {
        try property.wireText(of: stored(property.index), shape(property))
    }

    /// A value of an attribute as the server wrote it, where it can't be written again so; `nil` for any other value.
    ///
    /// - Complexity: one look into the file for an attribute that is a date or a number.
    package func keptText(_ property: Property, of value: StoredValue) -> WireText? {
        let state = current
        guard property.mayNeedText, !value.isNull, !state.isInserted, let context else { return nil }
        let text = context.read { reader in try reader.text(of: property.index, in: state.record) }
        return (text ?? nil).flatMap { property.wireText(keptAs: $0, of: value) }
    }

    /// How the server last wrote the property; of a relationship, the identities by which it came.
    package func shape(_ property: Property) -> WireShape {
        context?.shapes[model.table, property.index] ?? .standard
    }

    /// Where a property stands in JSON, as the server last spelt it.
    package func path(of property: Property) -> [String] {
        context?.shapes.path(of: property, in: model) ?? property.documentPath
    }

    /// The key that holds a relationship's identities in JSON, as the server spells it its own way.
    package func identityKey(of property: Property) -> String? {
        context?.shapes.identityKey(of: property, in: model)
    }

    // MARK: Edits that go out

    /// What the server confirms when it takes these properties as they are now: their edits, saved or not, and of a
    /// list that is kept as its members' links, those of the links.
    ///
    /// - Parameter sent: those of them that go out. The others are confirmed by an object's creation, without their
    ///   links.
    package func confirmations(
        of properties: [Property], sending sent: [Property]
    ) -> [WriteBatch.Confirmation] {
        let state = current
        var values: [PropertyIndex: StoredValue] = [:]
        for property in properties { values[property.index] = sentValue(property) }
        var lists: [PropertyIndex: [RowID]] = [:]
        for property in sent where property.list != nil { lists[property.index] = state.memberIDs(property) }
        let own = WriteBatch.Confirmation(
            of: record, properties: properties.map(\.name), edits: state.unsentEdits(of: properties), values: values,
            lists: lists)
        return [own] + sent.flatMap(state.confirmationsOfLinks) + sent.flatMap(state.confirmationsWithin)
    }

    /// What the server confirms by making a link of this object lead elsewhere, whatever it is here.
    ///
    /// - Parameters:
    ///   - former: whose list it is taken out of.
    ///   - edits: those that are older than that.
    package func confirmation(
        of link: Property, to target: ObjectState?, leaving former: ObjectState? = nil, edits: Set<ChangeStamp> = []
    ) -> WriteBatch.Confirmation {
        WriteBatch.Confirmation(
            of: record, properties: [link.name], edits: edits,
            values: [link.index: target.map { .integer($0.localID.rawValue) } ?? .null], isLink: true,
            left: former?.localID)
    }

    /// What is embedded goes out whole: with it, all edits in it do.
    private func confirmationsWithin(_ property: Property) -> [WriteBatch.Confirmation] {
        guard leadsToEmbedded(property) else { return [] }
        var found: [WriteBatch.Confirmation] = []
        var seen: Set<ObjectIdentifier> = []
        var waiting = targets(of: property).map(\._object.current)
        while let part = waiting.popLast() {
            guard seen.insert(ObjectIdentifier(part)).inserted else { continue }
            waiting += part.model.declared.filter(part.leadsToEmbedded).flatMap(part.targets).map(\._object.current)
            let saved = part.savedUnsent
            let properties = part.model.declared.filter { property in
                saved.contains(property.name) || part.edits[property.index] != nil || part.hasEditedList(property.index)
            }
            let edits = part.unsentEdits(of: properties)
            guard !edits.isEmpty else { continue }
            let values = properties.compactMap { property in part.sentValue(property).map { (property.index, $0) } }
            found.append(
                WriteBatch.Confirmation(
                    of: part.record, properties: properties.map(\.name), edits: edits,
                    values: Dictionary(values) { first, _ in first }))
        }
        return found
    }

    /// A value as what the server last said is kept, once it has taken it; `nil` where it can't be.
    private func sentValue(_ property: Property) -> StoredValue? {
        if let target = property.target {
            guard let context, context.schema.contains(target) else { return nil }
            if context.schema[target].isEmbedded, property.list != nil {
                return UnsentChanges.members(memberIDs(property).map(Writer.partKey))
            }
        }
        return property.column == nil ? nil : stored(property.index)
    }

    /// The edits of properties that the server has not confirmed, saved or not; in a draft, with those beneath its own.
    package func unsentEdits(of properties: [Property]) -> Set<ChangeStamp> {
        let saved = savedUnsent.entries
        let own = properties.flatMap { property in
            [saved[property.name]?.stamp, edits[property.index]?.stamp, lists[property.index]?.stamp]
                .compactMap(\.self) + savedPairs(of: property).values.map(\.stamp)
        }
        return Set(own + properties.flatMap(editsBeneath))
    }

    /// What the contexts that a draft stands on have of an attribute or link that was edited in it later: a save there
    /// may bring that to the file before the answer comes.
    private func editsBeneath(_ property: Property) -> [ChangeStamp] {
        guard property.column != nil, let edit = edits[property.index] else { return [] }
        var found: [ChangeStamp] = []
        var next = context?.base?.parent
        while let parent = next {
            if let beneath = parent.liveObject(record)?._object.current.edits[property.index],
                beneath.stamp < edit.stamp
            {
                found.append(beneath.stamp)
            }
            next = parent.base?.parent
        }
        return found
    }

    /// The links of members that have left lists which are kept as these, and lead elsewhere: the server is told that
    /// they are no members, and not what they are instead.
    package func linksElsewhere(leaving lists: [Property]) -> [(link: PropertyIndex, record: RecordID)] {
        let state = current
        return lists.flatMap { list -> [(link: PropertyIndex, record: RecordID)] in
            guard let context, case .column(let index, _, _) = list.list?.storage, let target = list.target,
                !context.schema[target].isEmbedded
            else { return [] }
            let members = Set(context.members(of: state, list.index))
            return state.rowsThatLeft(list, by: context.schema[target][index]).subtracting(members).compactMap { row in
                guard let member = context.object(for: RecordID(table: target, row: row))?._object,
                    member.linkedRow(index) != nil
                else { return nil }
                return (index, member.record)
            }
        }
    }

    /// - Parameter link: its members'.
    private func rowsThatLeft(_ list: Property, by link: Property) -> Set<RowID> {
        guard let context, let target = list.target else { return [] }
        let saved = savedUnsent.contains(list.name) ? context.rowsThatLeft(self, of: target, by: link) : []
        return Set((lists[list.index]?.removed ?? []) + saved + context.unsavedRowsThatLeft(self, of: target, by: link))
    }

    /// The rows whose link led to this object when the server last sent it, and leads elsewhere by pending edits.
    func formerMembers(of list: Property, by link: Property) -> Set<RowID> {
        guard let context, let target = list.target else { return [] }
        return Set(
            context.rowsThatLeft(self, of: target, by: link) + context.unsavedRowsThatLeft(self, of: target, by: link))
    }

    private func confirmationsOfLinks(back list: Property) -> [WriteBatch.Confirmation] {
        guard let context, case .column(let index, _, _) = list.list?.storage, let target = list.target else {
            return []
        }
        let link = context.schema[target][index]
        let members = Set(context.members(of: self, list.index))
        return members.union(rowsThatLeft(list, by: link)).compactMap { row in
            guard let member = context.object(for: RecordID(table: target, row: row))?._object else { return nil }
            // Where a member went from here, only its own link says.
            guard members.contains(row) || member.linkedRow(index) == nil else { return nil }
            let edits = member.unsentEdits(of: [link])
            return edits.isEmpty
                ? nil
                : WriteBatch.Confirmation(of: member.record, properties: [link.name], edits: edits, isLink: true)
        }
    }

    /// The values that go out, with what the server last said of them.
    package func sentValues(
        _ properties: [Property], knowing known: LastSaid
    ) -> [PropertyIndex: (value: StoredValue, known: StoredValue)] {
        let sent = properties.filter { $0.column != nil }.map { property in
            (property.index, (value: stored(property.index), known: known.value(property)))
        }
        return Dictionary(sent) { first, _ in first }
    }

    /// The errors of edits that JSON can't express: they could never be sent, and SQLite would make NULL of a NaN.
    var unsendableEdits: [StoreError] {
        guard !isDeleted else { return [] }
        return edits.compactMap { index, edit in
            guard edit.value.mayBeUnsendable, case let property = model[index],
                case .attribute(let kind, _, _) = property.kind, let refusal = kind.refusal(of: edit.value)
            else { return nil }
            return .unsendable(model: model.modelName, property: property.name, value: refusal.value)
        }
    }

    /// The values of the attributes that have columns, in the columns' order.
    package var attributeValues: [StoredValue] {
        model.attributeColumns.map { storedValue(model[$0.property]) }
    }

    /// What the object has now for these properties.
    package func values(of properties: [Property]) -> PropertyValues {
        var values = PropertyValues(model: model.modelName)
        for property in properties {
            switch property.kind {
            case .attribute: values.attributes[property.name] = storedValue(property)
            case .toOne, .toMany:
                values.relationships[property.name] = targets(of: property).map { $0._object.identityValue }
            }
        }
        return values
    }

    // MARK: Relationships

    /// The object that a to-one link references.
    package func linkedObject(_ property: Property) -> (any Model)? {
        guard let link = property.link else { return nil }
        let object = context?.linkedObject(in: link.target) { seenRow(property.index) }
        return object.flatMap { $0.isDeleted || !isKept(property.index, by: $0._object) ? nil : $0 }
    }

    /// The members of a list, deleted ones left out.
    package func listedObjects(_ property: Property) -> [any Model] {
        guard let list = property.list, let context else { return [] }
        return context.members(of: self, property.index)
            .compactMap { context.object(for: RecordID(table: list.target, row: $0)) }.filter { !$0.isDeleted }
    }

    /// The objects that a relationship references, deleted ones left out.
    func targets(of property: Property) -> [any Model] {
        property.list == nil ? linkedObject(property).map { [$0] } ?? [] : listedObjects(property)
    }

    /// The members' rows.
    package func memberIDs(_ property: Property) -> [RowID] { context?.members(of: self, property.index) ?? [] }

    // MARK: Identity

    /// The values of the identity by property name, as a reader is told them; without the parts that are nil.
    var identityText: [String: String] {
        var identity: [String: String] = [:]
        for property in model.identity.map({ model[$0] }) {
            if property.link != nil {
                let parts = linkedObject(property)?._object.identityText ?? [:]
                guard !parts.isEmpty else { continue }
                identity[property.name] = parts.sorted { $0.key < $1.key }.map(\.value).joined(separator: "/")
            } else if case let value = stored(property.index), !value.isNull {
                identity[property.name] = value.text
            }
        }
        return identity
    }

    /// The identity; of several parts the last that isn't a link.
    var identityValue: StoredValue {
        model.identity.last { model[$0].link == nil }.map(stored) ?? .null
    }
}

extension ObjectContext {
    /// The rows whose link led to an object when the server last spoke, and leads elsewhere since, saved and not sent.
    ///
    /// - Complexity: linear in the unsent rows of the table.
    fileprivate func rowsThatLeft(_ owner: ObjectState, of table: TableID, by link: Property) -> [RowID] {
        read { reader in try reader.rows(of: table, withUnsent: link, from: owner.localID) } ?? []
    }

    /// Those whose link has led to an object, and leads elsewhere by an edit that isn't saved.
    fileprivate func unsavedRowsThatLeft(_ owner: ObjectState, of table: TableID, by link: Property) -> [RowID] {
        let reference = UnsavedObjects.Reference(property: link.index, source: table, target: owner.record)
        return unsaved.objects(referencing: reference).filter { $0.reach == .left }.map(\.object._object.localID)
    }
}

extension ObjectState {
    /// Whether no relationship of a new object leads anywhere.
    ///
    /// - Parameter inverse: the way back, which is left out.
    func leadsNowhere(but inverse: PropertyIndex?) -> Bool {
        model.properties.allSatisfy { property in
            property.target == nil || property.index == inverse || targets(of: property).isEmpty
        }
    }
}
