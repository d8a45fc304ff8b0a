// The accessors that `@Model` writes call these functions, which always succeed. A link to a missing row reads as nil,
// and a list leaves such a row out. Objects keep their last values after a deletion, and after their context has ended.

extension ObjectState {
    // MARK: Attributes

    /// The attribute's value: the edit, the stored value, or the default.
    public func value<M: Model, V>(of attribute: Attribute<M, V>) -> V {
        attribute.decode(stored(attribute.index))
    }

    /// Edits the attribute. Other contexts see the value once it is saved.
    public func set<M: Model, V>(_ attribute: Attribute<M, V>, to value: V) {
        set(attribute, at: attribute.index, to: value)
    }

    private func set<M: Model, V>(_ attribute: Attribute<M, V>, at index: PropertyIndex, to value: V) {
        guard mayBeEdited else { return }
        let new = attribute.encode(value)
        // The file may have another spelling: "1.50" is the number stored as "1.5".
        let old = current.snapshot.value(index)
        let canonical = new == old ? new : attribute.canonical(old)
        // A raw value that the enum lacks reads as its default. Assigning that keeps the raw value.
        if canonical == nil, !old.isNull, current.stored(index) == old, attribute.encode(attribute.decode(old)) == new {
            return
        }
        let value = canonical == new ? old : new
        guard current.mayBeSet(index, to: value) else { return }
        setStored(index, to: value)
        context?.notifyObservers()
    }

    /// False for a refused edit, which the next `save` reports.
    func mayBeSet(_ index: PropertyIndex, to value: StoredValue) -> Bool {
        guard isRefused(value, for: index) else { return true }
        context?.refuse(.readOnlyProperty(model: model.modelName, property: model[index].name), editing: record)
        return false
    }

    func isRefused(_ value: StoredValue, for index: PropertyIndex) -> Bool {
        model.fixed.contains(index) && value != stored(index) && isFixed(index)
    }

    /// Embedded objects are sent whole each time, so their create-only attributes can be edited.
    private func isFixed(_ index: PropertyIndex) -> Bool {
        model.isEmbedded ? model[index].isNeverSent && isKnownPart : isAtServer
    }

    // MARK: Relationships

    /// The object that the link references, if any; read from the file if needed.
    public func value<M: Model, D: Model>(of link: ToOne<M, D>) -> D? {
        guard let index = link.isSubmodels ? model.index(of: link.description) : link.index,
            let target = model.linkTarget(of: index),
            let object = context?.object(D.self, in: target, linkedBy: { seenRow(index) }),
            !object._object.isDeleted, isKept(index, by: object._object)
        else { return nil }
        return object
    }

    /// Sets the link, and updates the inverse. An object of another context changes nothing; the next `save` throws.
    public func set<M: Model, D: Model>(_ link: ToOne<M, D>, to object: D?) {
        // Another context may have deleted the object.
        if withContext({ $0.isBehind }) == true { context?.catchUp() }
        guard let context, mayBeEdited, let index = editableIndex(ofLink: link) else { return }
        if let object, !context.canLink(to: object) { return }
        context.setLink(index, of: current, to: object?._object.localID)
        context.notifyObservers()
    }

    /// Links another object.
    @inlinable @inline(__always)
    public func set<M: Model, D: Model>(_ link: @autoclosure () -> ToOne<M, D>, at index: Int, to object: D?) {
        if appendable & Self.bit(index) != 0, let object, appendLink(to: object._object, at: index) { return }
        set(link(), to: object)
    }

    /// The list's undeleted members in their order; read from the file if needed.
    public func value<M: Model, D: Model>(of list: ToMany<M, D>) -> [D] {
        guard let context, let index = shownIndex(of: list) else { return [] }
        return context.members(D.self, of: self, index)
    }

    /// The list's members, to be changed in place for ``edit(_:to:)``.
    public func valueToEdit<M: Model, D: Model>(of list: ToMany<M, D>) -> [D] {
        guard let context, let index = shownIndex(of: list) else { return [] }
        return context.membersToEdit(D.self, of: self, index)
    }

    /// The attribute's value, to be changed in place.
    public func valueToEdit<M: Model, V>(of attribute: Attribute<M, V>) -> V { value(of: attribute) }

    /// `nil` if the list was rolled back while its edit was in flight.
    private func shownIndex<M: Model, D: Model>(of list: ToMany<M, D>) -> PropertyIndex? {
        guard let property = property(of: list), property.list != nil else { return nil }
        let state = current
        return state.isRolledBack && state.lists[property.index]?.isRolledBack == true ? nil : property.index
    }

    /// Replaces the list's members, and updates the inverses. For an unfetched list, too, these are then all members.
    ///
    /// Objects of another context are left out; if an object occurs twice, the list keeps its members. The next
    /// `save` throws in both cases.
    public func set<M: Model, D: Model>(_ list: ToMany<M, D>, to objects: [D]) {
        set(list, to: objects, isAssigned: true)
    }

    /// Replaces the members of a list that was changed in place. The server's further members of an unfetched list
    /// stay.
    public func edit<M: Model, D: Model>(_ list: ToMany<M, D>, to objects: [D]) {
        context?.catchUp()
        guard let context, mayBeEdited, let index = editableIndex(of: list) else { return }
        if context.editLentMembers(index, of: current, to: objects) { return context.notifyObservers() }
        set(list, to: objects, isAssigned: false)
    }

    /// Edits an attribute whose value was changed in place.
    public func edit<M: Model, V>(_ attribute: Attribute<M, V>, to value: V) { set(attribute, to: value) }

    private func set<M: Model, D: Model>(_ list: ToMany<M, D>, to objects: [D], isAssigned: Bool) {
        context?.catchUp()
        guard let context, mayBeEdited, let index = editableIndex(of: list) else { return }
        let own = objects.filter { context.canLink(to: $0) }
        let members = context.membersWithHidden(of: D.self, besides: own.map(\._object.localID), in: current, index)
        context.setMembers(index, of: current, to: members, isAssigned: isAssigned, isUsers: true)
        context.notifyObservers()
    }

    /// False for a deleted object, whose edit the context's next `save` then reports.
    var mayBeEdited: Bool {
        if isDeleted { context?.refuse(.deletedObject(model: model.modelName)) }
        return !isDeleted
    }
}

// MARK: - Common types

// Setters of the most common types. They skip conversions, and the token if the macro knows the index. Names of their
// own spare the compiler overload resolution.

extension ObjectState {
    /// Edits the attribute.
    @inlinable @inline(__always) @_documentation(visibility: internal)
    public func setInteger<M: Model>(
        _ value: Int, of attribute: @autoclosure () -> Attribute<M, Int>, at index: Int, in object: M
    ) {
        if let stamp = stampToAppend(index) { return append(.integer(Int64(value)), at: index, stamp) }
        set(index, to: .integer(Int64(value)), of: object)
    }

    /// Edits the attribute.
    @inlinable @inline(__always) @_documentation(visibility: internal)
    public func setOptionalInteger<M: Model>(
        _ value: Int?, of attribute: @autoclosure () -> Attribute<M, Int?>, at index: Int, in object: M
    ) {
        let value = value.map { StoredValue.integer(Int64($0)) } ?? .null
        if let stamp = stampToAppend(index) { return append(value, at: index, stamp) }
        set(index, to: value, of: object)
    }

    /// Edits the attribute.
    @inlinable @inline(__always) @_documentation(visibility: internal)
    public func setBoolean<M: Model>(
        _ value: Bool, of attribute: @autoclosure () -> Attribute<M, Bool>, at index: Int, in object: M
    ) {
        if let stamp = stampToAppend(index) { return append(.integer(value ? 1 : 0), at: index, stamp) }
        guard hasSpeltBoolean(index) else { return set(attribute(), to: value) }
        set(index, to: .integer(value ? 1 : 0), of: object)
    }

    /// Edits the attribute.
    @inlinable @inline(__always) @_documentation(visibility: internal)
    public func setOptionalBoolean<M: Model>(
        _ value: Bool?, of attribute: @autoclosure () -> Attribute<M, Bool?>, at index: Int, in object: M
    ) {
        let new = value.map { StoredValue.integer($0 ? 1 : 0) } ?? .null
        if let stamp = stampToAppend(index) { return append(new, at: index, stamp) }
        guard hasSpeltBoolean(index) else { return set(attribute(), to: value) }
        set(index, to: new, of: object)
    }

    /// Edits the attribute.
    @inlinable @inline(__always) @_documentation(visibility: internal)
    public func setReal<M: Model>(
        _ value: Double, of attribute: @autoclosure () -> Attribute<M, Double>, at index: Int, in object: M
    ) {
        if let stamp = stampToAppend(index) { return append(.real(value), at: index, stamp) }
        set(index, to: .real(value), of: object)
    }

    /// Edits the attribute.
    @inlinable @inline(__always) @_documentation(visibility: internal)
    public func setOptionalReal<M: Model>(
        _ value: Double?, of attribute: @autoclosure () -> Attribute<M, Double?>, at index: Int, in object: M
    ) {
        let value = value.map { StoredValue.real($0) } ?? .null
        if let stamp = stampToAppend(index) { return append(value, at: index, stamp) }
        set(index, to: value, of: object)
    }

    /// Edits the attribute.
    @inlinable @inline(__always) @_documentation(visibility: internal)
    public func setText<M: Model>(
        _ value: consuming String, of attribute: @autoclosure () -> Attribute<M, String>, at index: Int, in object: M
    ) {
        if let stamp = stampToAppend(index) { return append(.text(consume value), at: index, stamp) }
        set(index, to: .text(consume value), of: object)
    }

    /// Edits the attribute.
    @inlinable @inline(__always) @_documentation(visibility: internal)
    public func setOptionalText<M: Model>(
        _ value: consuming String?, of attribute: @autoclosure () -> Attribute<M, String?>, at index: Int, in object: M
    ) {
        let value: StoredValue =
            switch consume value {
            case let text?: .text(text)
            case nil: .null
            }
        if let stamp = stampToAppend(index) { return append(value, at: index, stamp) }
        set(index, to: value, of: object)
    }

    /// Whether the file's value is 0, 1 or null. Other numbers may stand for a Boolean, too.
    @usableFromInline
    func hasSpeltBoolean(_ index: Int) -> Bool {
        isInserted || current.snapshot.integer(index).map { 0...1 ~= $0 } ?? true
    }

    /// Edits the attribute.
    public func set<M: Model>(_ attribute: Attribute<M, Int>, to value: Int) {
        set(attribute.index, to: .integer(Int64(value)))
    }

    /// Edits the attribute.
    public func set<M: Model>(_ attribute: Attribute<M, String>, to value: String) {
        set(attribute.index, to: .text(value))
    }

    /// Edits the attribute.
    public func set<M: Model>(_ attribute: Attribute<M, Int?>, to value: Int?) {
        set(attribute.index, to: value.map { .integer(Int64($0)) } ?? .null)
    }

    /// Edits the attribute.
    public func set<M: Model>(_ attribute: Attribute<M, String?>, to value: String?) {
        set(attribute.index, to: value.map { .text($0) } ?? .null)
    }

    /// Edits the attribute.
    @inlinable @inline(__always)
    public func set<M: Model, V>(_ attribute: @autoclosure () -> Attribute<M, V>, at index: Int, to value: V) {
        set(attribute(), to: value)
    }

    /// Edits the attribute.
    @inlinable @inline(__always)
    public func set<M: Model>(_ attribute: @autoclosure () -> Attribute<M, Int>, at index: Int, to value: Int) {
        set(attribute(), to: value)
    }

    /// Edits the attribute.
    @inlinable @inline(__always)
    public func set<M: Model>(_ attribute: @autoclosure () -> Attribute<M, String>, at index: Int, to value: String) {
        set(attribute(), to: value)
    }

    /// Edits the attribute.
    @inlinable @inline(__always)
    public func set<M: Model>(_ attribute: @autoclosure () -> Attribute<M, Int?>, at index: Int, to value: Int?) {
        set(attribute(), to: value)
    }

    /// Edits the attribute.
    @inlinable @inline(__always)
    public func set<M: Model>(_ attribute: @autoclosure () -> Attribute<M, String?>, at index: Int, to value: String?) {
        set(attribute(), to: value)
    }

    /// Replaces the list's members.
    @inlinable @inline(__always)
    public func set<M: Model, D: Model>(_ list: @autoclosure () -> ToMany<M, D>, at index: Int, to objects: [D]) {
        set(list(), to: objects)
    }

    /// Edits an attribute of a type with one stored form for each value.
    func set(_ index: PropertyIndex, to value: StoredValue) {
        guard mayBeEdited, current.mayBeSet(index, to: value) else { return }
        setStored(index, to: value)
        context?.notifyObservers()
    }
}

// MARK: - Submodels

extension ObjectState {
    /// The value of a submodel's own attribute.
    @inlinable
    public func value<M: Submodel, V>(ofOwn attribute: Attribute<M, V>) -> V {
        if let index = ownIndex(attribute.place, of: ObjectIdentifier(M.self)) {
            if isReadTracked() { noteRead(index) }
            if let value = plainValue(as: V.self, at: index) { return value }
        }
        return storedValue(ofOwn: attribute)
    }

    @usableFromInline
    func storedValue<M: Submodel, V>(ofOwn attribute: Attribute<M, V>) -> V {
        attribute.decode(model.index(of: attribute.description).map(stored) ?? .null)
    }

    /// `nil` if the row has another model by now.
    @usableFromInline @_effects(releasenone)
    func ownIndex(_ place: Int, of submodel: ObjectIdentifier) -> Int? {
        guard submodel == ObjectIdentifier(model.type), model.ownProperties.indices.contains(place) else { return nil }
        return model.ownProperties[place].rawValue
    }

    /// Edits a submodel's own attribute. If the object's row has become another model's, the next `save` throws
    /// instead.
    public func set<M: Submodel, V>(own attribute: Attribute<M, V>, to value: V) {
        guard let index = editableIndex(of: attribute) else { return }
        set(attribute, at: index, to: value)
    }

    /// The object that the link references.
    public func value<M: Submodel, D: Model>(ofOwn link: ToOne<M, D>) -> D? { link.value(in: self) }

    /// Makes the link reference another object.
    public func set<M: Submodel, D: Model>(own link: ToOne<M, D>, to object: D?) { set(link, to: object) }

    /// The list's members.
    public func value<M: Submodel, D: Model>(ofOwn list: ToMany<M, D>) -> [D] { list.value(in: self) }

    /// The list's members, to be changed in place.
    public func valueToEdit<M: Submodel, D: Model>(ofOwn list: ToMany<M, D>) -> [D] { valueToEdit(of: list) }

    /// The attribute's value, to be changed in place.
    public func valueToEdit<M: Submodel, V>(ofOwn attribute: Attribute<M, V>) -> V { value(ofOwn: attribute) }

    /// Replaces the list's members.
    public func set<M: Submodel, D: Model>(own list: ToMany<M, D>, to objects: [D]) { set(list, to: objects) }

    /// Replaces the members of a list that was changed in place.
    public func edit<M: Submodel, D: Model>(own list: ToMany<M, D>, to objects: [D]) { edit(list, to: objects) }

    /// Edits an attribute whose value was changed in place.
    public func edit<M: Submodel, V>(own attribute: Attribute<M, V>, to value: V) { set(own: attribute, to: value) }

    /// `nil` if the table lacks the property.
    package func property(of token: some PropertyToken) -> Property? {
        guard let index = model.index(of: token.description), model.contains(index) else { return nil }
        return model[index]
    }

    private func editableIndex<M: Model, D: Model>(ofLink link: ToOne<M, D>) -> PropertyIndex? {
        // Avoids a copy of the `Property`.
        let model = current.model
        guard !link.isSubmodels, !model.hasSubmodels else { return editableIndex(of: link) }
        return model.contains(link.index) ? link.index : nil
    }

    /// `nil` if the row has another model by now, which lacks the property. The next `save` reports that.
    func editableIndex(of token: some PropertyToken) -> PropertyIndex? {
        guard let property = property(of: token) else { return nil }
        if current.model.has(property.index) { return property.index }
        context?.refuse(.changedModel(property: property.name, now: current.model.modelName))
        return nil
    }
}
