// The values and edits that requests consist of.

extension ObjectState {
    // MARK: Properties

    /// The properties with pending edits, saved and unsaved, in the order of declaration. Leaves out those never sent,
    /// and lists with edits that are sent as the members' links.
    package var unsentProperties: [Property] {
        let saved = savedUnsent.entries
        let state = current
        return model.declared.filter { property in
            let isEdited =
                state.edits[property.index] != nil || state.hasEditedList(property.index)
                || saved[property.name] != nil || !state.editedEmbedding(property).isEmpty
                // If a relationship to several models led to one model before a migration, only its link has an entry.
                || property.choice?.links.contains { saved[model[$0].name] != nil } ?? false
            return isEdited && !property.isNeverSent && !isSentByMembers(property)
        }
    }

    /// Whether a list is stored as its members' links, which send its edits since only some members are known.
    private func isSentByMembers(_ property: Property) -> Bool {
        guard let list = property.list, case .column = list.storage, let link = context?.schema.inverse(of: property),
            !link.isNeverSent
        else { return false }
        return isPartial(property)
    }

    var savedUnsent: UnsentChanges {
        guard !isInserted, let context else { return UnsentChanges() }
        return context.read { reader in try reader.unsentChanges(of: self.record) } ?? UnsentChanges()
    }

    func hasEdits(since stamp: ChangeStamp) -> Bool {
        edits.contains { $0.value.stamp > stamp }
            || lists.contains { $0.value.isEdited && ($0.value.stamp ?? stamp) > stamp }
    }

    /// Whether a list was edited here, or a property in the parent of a draft.
    package func hasEdited(_ property: Property) -> Bool {
        current.hasEditedList(property.index) || current.isEditedBelow(property.index)
    }

    /// Whether a pending edit of a list sets the membership of `row` to `isMember`.
    ///
    /// - Parameter known: the stamps of edits to ignore. An unsaved edit counts only if it is later than all of these.
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

    /// The members that saved edits have added.
    package func addedMembers(of property: Property) -> Set<RowID> {
        Set(savedPairs(of: property).filter(\.value.isMember).keys)
    }

    /// The saved pending edits of memberships, by member.
    func savedPairs(of property: Property) -> [RowID: PairEdit] {
        guard !isInserted, let list = property.list, !list.isOfLinks, let context else { return [:] }
        return context.read { reader in try reader.pairs(of: list, owner: self.localID) } ?? [:]
    }

    /// The members added or removed by an unsaved edit.
    func unsavedToggles(of property: Property) -> [RowID: ChangeStamp] {
        current.lists[property.index].map { $0.isEdited ? $0.toggles : [:] } ?? [:]
    }

    /// The embedded objects with unsaved edits that a relationship references, or referenced before it was edited, at
    /// any depth.
    package func editedEmbedding(_ property: Property) -> [any Model] {
        guard let context, context.schema.hasEmbedded, !context.unsaved.isEmpty, let target = property.target,
            context.schema.contains(target), context.schema[target].isEmbedded
        else { return [] }
        var edited: [any Model] = []
        // Embedded objects that were linked locally may form a cycle.
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

    /// The live objects that an edit has removed from a relationship.
    private func formerTargets(_ property: Property) -> [any Model] {
        guard let context, let table = property.target else { return [] }
        let former =
            lists[property.index]?.removed
            ?? edits[property.index].flatMap { _ in snapshot.value(property.index).row.map { [$0] } }
        return (former ?? []).compactMap { context.liveObject(RecordID(table: table, row: $0)) }
    }

    var mayHaveParts: Bool {
        guard let context, context.schema.hasEmbedded else { return false }
        return model.properties.contains(where: leadsToEmbedded)
    }

    func leadsToEmbedded(_ property: Property) -> Bool {
        guard let context, let target = property.target, context.schema.contains(target) else { return false }
        return context.schema[target].isEmbedded
    }

    /// Whether the object's identity was received or acknowledged, even if it is edited locally.
    package var isAtServer: Bool { !isInserted && !model.isEmbedded && ServerValues(of: self).hasIdentity }

    /// Whether an embedded object was received, or its creation was acknowledged.
    var isKnownPart: Bool {
        guard !isInserted else { return false }
        guard localID.isOfNewObject else { return true }
        let entries = savedUnsent.entries.values
        return entries.isEmpty || entries.contains { !$0.base.isNull }
    }

    /// Embedded objects at any depth.
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

    package var hasIdentity: Bool { !model.identity.contains { stored($0).isNull } }

    /// The attributes and links that are still to be received or set.
    ///
    /// - Complexity: one read of the file, if the object is in it.
    package var unloadedProperties: Set<PropertyIndex> {
        guard model.isEmbedded ? !isInserted : isAtServer, let context else { return [] }
        let (state, saved) = (current, savedUnsent.entries)
        let loaded = context.read { reader in try reader.loadedMask(of: state.record) } ?? nil
        guard let loaded else { return [] }
        return Set(
            model.columns.map(\.property).filter { property in
                // Parts of the identity may be known from a URL only.
                !loaded.contains(property, of: model) && !model.identity.contains(property)
                    && state.edits[property] == nil && saved[model[property].name] == nil
            })
    }

    // MARK: Values

    package func storedValue(_ property: Property) -> StoredValue { stored(property.index) }

    /// The value in JSON, in the server's form.
    package func wireText(_ property: Property) throws(UnsendableValue) -> WireText {
        try property.wireText(of: stored(property.index), shape(property))
    }

    /// The server's text of the value, if writing the value gives another one.
    ///
    /// - Complexity: one read of the file, if the attribute is a date or a number.
    package func keptText(_ property: Property, of value: StoredValue) -> WireText? {
        let state = current
        guard property.mayNeedText, !value.isNull, !state.isInserted, let context else { return nil }
        let text = context.read { reader in try reader.text(of: property.index, in: state.record) }
        return (text ?? nil).flatMap { property.wireText(keptAs: $0, of: value) }
    }

    /// How the server writes the value, or a relationship's identities.
    package func shape(_ property: Property) -> WireShape {
        context?.shapes[model.table, property.index] ?? .standard
    }

    /// The path as last spelled by the server.
    package func path(of property: Property) -> [String] {
        context?.shapes.path(of: property, in: model) ?? property.documentPath
    }

    /// The server's key, such as `owner_id`; `nil` if it follows the conventions.
    package func identityKey(of property: Property) -> String? {
        context?.shapes.identityKey(of: property, in: model)
    }

    // MARK: Sent edits

    /// The acknowledgements if the server accepts the current values of `properties`: of their pending edits, of
    /// members' links that a list is stored as, and of embedded objects.
    ///
    /// - Parameter sent: the properties in the request. An object's creation acknowledges the others, too, except their
    ///   members' links.
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

    /// The acknowledgement of a request that changes a link of this object.
    ///
    /// - Parameters:
    ///   - former: the owner of the list that the request removes the object from.
    ///   - edits: the stamps of earlier edits of the link.
    package func confirmation(
        of link: Property, to target: ObjectState?, leaving former: ObjectState? = nil, edits: Set<ChangeStamp> = []
    ) -> WriteBatch.Confirmation {
        WriteBatch.Confirmation(
            of: record, properties: [link.name], edits: edits,
            values: [link.index: target.map { .integer($0.localID.rawValue) } ?? .null], isLink: true,
            left: former?.localID)
    }

    /// The acknowledgements for embedded objects, which are sent whole.
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

    /// The base once the server has accepted the property; `nil` for properties that lack one.
    private func sentValue(_ property: Property) -> StoredValue? {
        if let target = property.target {
            guard let context, context.schema.contains(target) else { return nil }
            if context.schema[target].isEmbedded, property.list != nil {
                return UnsentChanges.members(memberIDs(property).map(Writer.partKey))
            }
        }
        return property.column == nil ? nil : stored(property.index)
    }

    /// The pending edits, saved and unsaved. In a draft, earlier edits of its parents are included.
    package func unsentEdits(of properties: [Property]) -> Set<ChangeStamp> {
        let saved = savedUnsent.entries
        let own = properties.flatMap { property in
            [savedEdit(of: property, in: saved), edits[property.index]?.stamp, lists[property.index]?.stamp]
                .compactMap(\.self) + savedPairs(of: property).values.map(\.stamp)
        }
        return Set(own + properties.flatMap(editsBeneath))
    }

    /// The saved edit's stamp; `nil` if it is newer than a draft's own edit of an attribute or link, and so stays.
    private func savedEdit(of property: Property, in saved: [String: UnsentChanges.Entry]) -> ChangeStamp? {
        guard let stamp = saved[property.name]?.stamp else { return nil }
        guard context?.base != nil, property.column != nil, let own = edits[property.index] else { return stamp }
        return stamp < own.stamp ? stamp : nil
    }

    /// The stamps of a draft's parents' edits that the draft's own edit covers. Saves of parents may write them before
    /// the reply arrives.
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

    /// The links of members that have left these lists for another owner. A request with the lists omits these links.
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

    /// The members that pending edits have removed from a list of links.
    ///
    /// - Parameter link: the members' link to the owner.
    private func rowsThatLeft(_ list: Property, by link: Property) -> Set<RowID> {
        guard let context, let target = list.target else { return [] }
        let saved = savedUnsent.contains(list.name) ? context.rowsThatLeft(self, of: target, by: link) : []
        return Set((lists[list.index]?.removed ?? []) + saved + context.unsavedRowsThatLeft(self, of: target, by: link))
    }

    /// The rows that link to this object at the server and, by pending edits, elsewhere or nowhere.
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
            // Only the member's own request acknowledges a link to another owner.
            guard members.contains(row) || member.linkedRow(index) == nil else { return nil }
            let edits = member.unsentEdits(of: [link])
            return edits.isEmpty
                ? nil
                : WriteBatch.Confirmation(of: member.record, properties: [link.name], edits: edits, isLink: true)
        }
    }

    package func sentValues(
        _ properties: [Property], knowing known: ServerValues
    ) -> [PropertyIndex: (value: StoredValue, known: StoredValue)] {
        let sent = properties.filter { $0.column != nil }.map { property in
            (property.index, (value: stored(property.index), known: known.value(property)))
        }
        return Dictionary(sent) { first, _ in first }
    }

    /// Errors for edits with values that JSON lacks. SQLite would store NaN as NULL.
    var unsendableEdits: [StoreError] {
        guard !isDeleted else { return [] }
        return edits.compactMap { index, edit in
            guard edit.value.mayBeUnsendable, case let property = model[index],
                case .attribute(let kind, _, _) = property.kind, let refusal = kind.refusal(of: edit.value)
            else { return nil }
            return .unsendable(model: model.modelName, property: property.name, value: refusal.value)
        }
    }

    package var attributeValues: [StoredValue] {
        model.attributeColumns.map { storedValue(model[$0.property]) }
    }

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

    package func linkedObject(_ property: Property) -> (any Model)? {
        guard let link = property.link else { return nil }
        let object = context?.linkedObject(in: link.target) { seenRow(property.index) }
        return object.flatMap { $0.isDeleted || !isKept(property.index, by: $0._object) ? nil : $0 }
    }

    package func listedObjects(_ property: Property) -> [any Model] {
        guard let list = property.list, let context else { return [] }
        return context.members(of: self, property.index)
            .compactMap { context.object(for: RecordID(table: list.target, row: $0)) }.filter { !$0.isDeleted }
    }

    func targets(of property: Property) -> [any Model] {
        property.list == nil ? linkedObject(property).map { [$0] } ?? [] : listedObjects(property)
    }

    package func memberIDs(_ property: Property) -> [RowID] { context?.members(of: self, property.index) ?? [] }

    // MARK: Identity

    /// The identity by property name, for errors, without parts that are nil.
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

    /// The last attribute of the identity.
    var identityValue: StoredValue {
        model.identity.last { model[$0].link == nil }.map(stored) ?? .null
    }
}

extension ObjectContext {
    /// The rows whose saved edits lead the link elsewhere.
    ///
    /// - Complexity: linear in the number of rows with pending edits in the table.
    fileprivate func rowsThatLeft(_ owner: ObjectState, of table: TableID, by link: Property) -> [RowID] {
        read { reader in try reader.rows(of: table, withUnsent: link, from: owner.localID) } ?? []
    }

    /// The rows whose unsaved edits do so.
    fileprivate func unsavedRowsThatLeft(_ owner: ObjectState, of table: TableID, by link: Property) -> [RowID] {
        let reference = UnsavedObjects.Reference(property: link.index, source: table, target: owner.record)
        return unsaved.objects(referencing: reference).filter { $0.reach == .left }.map(\.object._object.localID)
    }
}

extension ObjectState {
    /// - Parameter inverse: the relationship to ignore.
    func leadsNowhere(but inverse: PropertyIndex?) -> Bool {
        model.properties.allSatisfy { property in
            property.target == nil || property.index == inverse || targets(of: property).isEmpty
        }
    }
}
