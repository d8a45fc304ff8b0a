// What the remote half needs to know of an object: which properties the server has not been told, and their values.

extension ObjectState {
    /// The properties that were changed and that the server has not confirmed: edited here, or saved and not sent. In the
    /// order of their declaration.
    package var unsentProperties: [Property] {
        let saved = savedUnsentNames
        let state = current
        return table.declared.filter { property in
            state.edits[property.index] != nil || state.lists[property.index]?.isEdited == true
                || saved.contains(property.name) || !state.editedEmbedding(property).isEmpty
        }
    }

    private var savedUnsentNames: Set<String> {
        guard !isInserted, let context else { return [] }
        return context.read { reader in try reader.unsentNames(self.table, self.localID) } ?? []
    }

    /// The value that a property has now, as it is stored.
    package func storedValue(_ property: Property) -> StoredValue { stored(property.index) }

    /// The value that an attribute has now, in JSON as the server writes it.
    package func wireText(_ property: Property) throws(UnsendableValue) -> WireText {
        try property.wireText(of: stored(property.index), shape(property))
    }

    /// How the server last wrote the property; of a relationship, the identities by which it came.
    package func shape(_ property: Property) -> WireShape {
        context?.shapes[table.index, property.index] ?? .standard
    }

    /// By property index: the values that go out, with what the file says of them now.
    package func sentValues(_ properties: [Property]) -> [Int: (value: StoredValue, known: StoredValue)] {
        let sent = properties.filter { $0.column != nil }.map { property in
            (property.index, (value: stored(property.index), known: current.snapshot.value(property.index)))
        }
        return Dictionary(sent) { first, _ in first }
    }

    /// The object that a to-one link leads to.
    package func linkedObject(_ property: Property) -> (any Model)? {
        guard let link = property.link, let id = linkedID(property.index) else { return nil }
        return context?.object(link.target, id).flatMap { $0.isDeleted ? nil : $0 }
    }

    /// The members of a list, deleted ones left out.
    package func listedObjects(_ property: Property) -> [any Model] {
        guard let list = property.list, let context else { return [] }
        return context.members(of: self, property.index).compactMap { context.object(list.target, $0) }
            .filter { !$0._object.isDeleted }
    }

    /// The members' local keys.
    package func memberIDs(_ property: Property) -> [Int64] { context?.members(of: self, property.index) ?? [] }

    /// Whether the server knows the object: its identity is in the file, and the server's word or confirmed by it.
    package var isAtServer: Bool {
        guard !isInserted, !table.isEmbedded, hasIdentity else { return false }
        let unsent = unsentProperties.map(\.index)
        return !table.identity.contains(where: unsent.contains)
    }

    /// Whether the object has a whole identity: whether the server knows it.
    package var hasIdentity: Bool { !table.identity.contains { stored($0).isNull } }
}

extension ObjectState {
    /// Refuses edits that JSON can't express: they could never be sent, and SQLite would make NULL of a NaN.
    func refuseUnsendable() throws(StoreError) {
        guard !isDeleted else { return }
        for property in table.properties {
            guard case .attribute(let kind, _, _) = property.kind, let edit = edits[property.index],
                let refusal = kind.refusal(of: edit)
            else { continue }
            throw .unsendable(model: table.modelName, property: property.name, value: refusal.value)
        }
    }
}

extension Reader {
    func unsentNames(_ table: ModelSchema, _ id: Int64) throws -> Set<String> {
        let statement = try reading().statement("SELECT _unsent FROM \(SQL.quoted(table.name)) WHERE _id = ?")
        statement.bind(id, at: 1)
        guard try statement.step() else { return [] }
        defer { statement.reset() }
        return statement.isNull(0) ? [] : Set(UnsentChanges(text: statement.text(0)).bases.keys)
    }
}

extension ObjectState {
    /// Whether a list was edited and not saved.
    package func hasEdited(_ property: Property) -> Bool {
        current.lists[property.index]?.isEdited == true
    }
}

extension ObjectState {
    /// The objects that a relationship leads to, deleted ones left out.
    func targets(_ property: Property) -> [any Model] {
        property.list == nil ? linkedObject(property).map { [$0] } ?? [] : listedObjects(property)
    }

    /// The values of the identity by property name, as a reader is told them.
    var identityText: [String: String] {
        var identity: [String: String] = [:]
        for property in table.identity.map({ table.properties[$0] }) {
            if property.link != nil {
                let parts = linkedObject(property)?._object.identityText ?? [:]
                identity[property.name] = parts.sorted { $0.key < $1.key }.map(\.value).joined(separator: "/")
            } else {
                identity[property.name] = stored(property.index).text
            }
        }
        return identity
    }
}

extension ObjectState {
    /// The embedded objects behind a relationship that have unsaved edits, those in them included.
    package func editedEmbedding(_ property: Property) -> [any Model] {
        guard let context, context.schema.hasEmbedded, !context.unsaved.isEmpty,
            let target = property.link?.target ?? property.list?.target, context.schema.tables.indices.contains(target),
            context.schema.tables[target].isEmbedded
        else { return [] }
        return targets(property).flatMap { object in
            let inner = object._object.table.properties.flatMap(object._object.editedEmbedding)
            return (object.hasChanges ? [object] : []) + inner
        }
    }
}
