extension ObjectContext {
    /// Returns the objects of a model with changes that the server doesn't have: new ones, and those with pending
    /// edits, saved or unsaved.
    ///
    /// ```swift
    /// for issue in try context.unsent(Issue.self) { try await issue.save() }
    /// ```
    ///
    /// Objects with saved edits come first, in the order in which they came to the file; others follow in the order of
    /// their first edits. Deleted and embedded objects are left out. Saved edits of properties with `sentAs: .never`
    /// don't count. You can observe the list.
    ///
    /// - Throws: ``StoreError`` if the model isn't one of the store's, or the file can't be read.
    /// - Complexity: linear in these objects, again for each change and commit while observed.
    public func unsent<M: Model>(_ type: M.Type = M.self) throws(StoreError) -> [M] {
        let model = try model(of: type)
        let found = try unsent(of: model)
        noteRead(.unsent(model.table), found.map { $0._object.record }) { context in
            let found = context.keepingError { () throws(StoreError) in try context.unsent(of: model) }
            return (found ?? []).map { $0._object.record }
        }
        return found.compactMap { $0 as? M }
    }

    /// Returns the unsent objects of all models, in the order of the store's models; see ``unsent(_:)``.
    ///
    /// - Throws: ``StoreError`` if the file can't be read.
    public func unsent() throws(StoreError) -> [any Model] {
        let found = try allUnsent()
        noteRead(.unsent(nil), found.map { $0._object.record }) { context in
            let found = context.keepingError { () throws(StoreError) in try context.allUnsent() }
            return (found ?? []).map { $0._object.record }
        }
        return found
    }

    private func allUnsent() throws(StoreError) -> [any Model] {
        var found: [any Model] = []
        for model in schema.roots where !model.isEmbedded { found += try unsent(of: model) }
        return found
    }

    private func unsent(of model: ModelSchema) throws(StoreError) -> [any Model] {
        let table = model.table
        let rows = try reading { reader in try reader.rowsWithUnsentChanges(of: table) }
        let saved = rows.compactMap { object(for: RecordID(table: table, row: $0)) }
        let embedding = try ownersOfEditedParts().filter { $0.table == table }.compactMap { object(for: $0) }
        var seen: Set<ObjectIdentifier> = []
        return (saved + unsaved.objects(in: table) + embedding).filter { object in
            seen.insert(ObjectIdentifier(object)).inserted && object._object.hasUnsentChanges
        }
    }

    /// The rows that embedded objects with unsaved edits are sent with.
    private func ownersOfEditedParts() throws(StoreError) -> [RecordID] {
        guard schema.hasEmbedded, !unsaved.isEmpty else { return [] }
        var waiting = schema.roots.filter(\.isEmbedded).flatMap { unsaved.objects(in: $0.table) }.map(\._object.record)
        var seen = Set(waiting)
        var owners: [RecordID] = []
        while let part = waiting.popLast() {
            for owner in try reading({ reader in try reader.owners(of: part) }) where seen.insert(owner).inserted {
                if schema[owner.table].isEmbedded { waiting.append(owner) } else { owners.append(owner) }
            }
        }
        return owners.sorted { ($0.table, $0.row) < ($1.table, $1.row) }
    }
}

extension ObjectState {
    fileprivate var hasUnsentChanges: Bool {
        !isDeleted && (isInserted || current.hasChanges || !unsentProperties.isEmpty)
    }
}

extension Model {
    /// Whether the server knows the object: it has sent the object's identity, or has accepted its creation.
    ///
    /// It is false for an embedded object, and for one made here until its creation succeeds, even if you have set its
    /// identity and saved it. After a creation with a lost reply, it stays false until a fetch returns the object.
    public var isKnownToServer: Bool { _object.isAtServer }
}
