// A relationship to one of several models is an attribute with the model's name, and a hidden link for each model. An
// edit of one of these edits all, with one stamp.

extension ObjectState {
    /// The object that the relationship leads to.
    @_disfavoredOverload
    public func value<M: Model, C: ModelChoice>(of token: @autoclosure () -> ToOneChoice<M, C>, at index: Int) -> C? {
        value(of: token())
    }

    /// The object that the relationship leads to, if any; read from the file if needed.
    @_disfavoredOverload
    public func value<M: Model, C: ModelChoice>(of token: ToOneChoice<M, C>) -> C? {
        guard let choice = property(of: token)?.choice else { return nil }
        for link in choice.links {
            if isReadTracked() { noteRead(link.rawValue) }
            if let object = linkedObject(model[link]) { return C(object) }
        }
        return nil
    }

    /// The object that the relationship leads to.
    @_disfavoredOverload
    public func value<M: Submodel, C: ModelChoice>(ofOwn token: ToOneChoice<M, C>) -> C? { value(of: token) }

    /// Makes the relationship lead to another object.
    @_disfavoredOverload
    public func set<M: Model, C: ModelChoice>(
        _ token: @autoclosure () -> ToOneChoice<M, C>, at index: Int, to value: C?
    ) {
        set(token(), to: value)
    }

    /// Sets the relationship. An object of another context changes nothing, but the next `save` throws.
    @_disfavoredOverload
    public func set<M: Model, C: ModelChoice>(_ token: ToOneChoice<M, C>, to value: C?) {
        context?.catchUp()
        guard let context, mayBeEdited, let index = editableIndex(of: token), let choice = current.model[index].choice
        else { return }
        let object = value?.model
        if let object, !context.canLink(to: object) { return }
        current.set(choice, to: object?._object.current)
        context.notifyObservers()
    }

    /// Makes the relationship lead to another object.
    @_disfavoredOverload
    public func set<M: Submodel, C: ModelChoice>(own token: ToOneChoice<M, C>, to value: C?) { set(token, to: value) }

    private func set(_ choice: Choice, to target: ObjectState?) {
        let link = target.flatMap { target in
            choice.links.first { model.linkTarget(of: $0) == target.model.table }
        }
        let name = link.map { self.name(of: $0, in: choice) } ?? .null
        setParts(of: choice) { part in
            part == choice.property ? name : part == link ? StoredValue(target?.localID) : .null
        }
    }

    /// The name of a link's model, as stored with the link, else as requests write it.
    private func name(of link: PropertyIndex, in choice: Choice) -> StoredValue {
        for value in [stored, snapshot.value] where value(link).row != nil && !value(choice.property).isNull {
            return value(choice.property)
        }
        let target = context?.schema.target(of: model[link])
        return target.map { .text($0.sentTypeName) } ?? .null
    }

    /// Edits the attribute and the links. Values equal to the file's drop the edits.
    private func setParts(of choice: Choice, to value: (PropertyIndex) -> StoredValue) {
        let values = choice.members.map { (index: $0, value: value($0)) }
        if isWatched, values.contains(where: { stored($0.index) != $0.value }) { noteChange() }
        if values.allSatisfy({ mayEndEdit(of: $0.index, by: $0.value) }) {
            for (index, _) in values where edits.has(index) {
                context?.watch.noteDiscardedEdit(index, of: record)
                edits[index] = nil
            }
        } else if !takeEditsBelow(values), values.contains(where: { edits[$0.index]?.value != $0.value }) {
            let stamp = ChangeStamp.now()
            for (index, value) in values {
                let endsWaiting = value.isNull && snapshot.has(.null, at: index) && waits(for: index)
                edits[index] = Edit(ofLink: value, leaving: nil, endsWaiting: endsWaiting, at: stamp)
            }
        }
        noteEdit()
    }

    /// See ``setStored(_:to:leaving:)``.
    private func mayEndEdit(of index: PropertyIndex, by value: StoredValue) -> Bool {
        !isInserted && !inFlight.has(index) && snapshot.has(value, at: index) && !isAtRisk(index)
            && !(value.isNull && waits(for: index)) && !isEditedBelow(index)
    }

    /// In a draft, makes copies of the parent's edits if these have the values.
    private func takeEditsBelow(_ values: [(index: PropertyIndex, value: StoredValue)]) -> Bool {
        let below = values.compactMap { editBelow($0.index) }
        guard below.count == values.count, zip(below, values).allSatisfy({ $0.value == $1.value }) else { return false }
        for (edit, (index, _)) in zip(below, values) {
            context?.watch.noteDiscardedEdit(index, of: record)
            edits[index] = edit
            context?.base?.follow(edit, of: index, in: record)
        }
        return true
    }

    /// - Returns: false for other properties.
    func setPart(_ index: PropertyIndex, to value: StoredValue) -> Bool {
        guard let choice = model.choice(with: index) else { return false }
        setParts(of: choice) { $0 == index ? value : stored($0) }
        return true
    }

    func isStoredWithOthers(_ edit: Edit, at index: PropertyIndex, of choice: Choice) -> Bool {
        let links = choice.links.compactMap { link in edits[link].map { (link, $0) } }
        guard links.allSatisfy({ hasResult(of: $0.1, at: $0.0) }) else { return false }
        // The server may write a model's name in several ways.
        return links.contains { !$0.1.value.isNull }
            || (edits[choice.property].map { hasResult(of: $0, at: choice.property) } ?? true)
    }
}

extension ToOneChoice {
    /// The object that the relationship leads to.
    @_documentation(visibility: internal)
    public func value(in object: ObjectState) -> Choice? { object.value(of: self) }

    /// Makes the relationship lead to another object.
    @_documentation(visibility: internal)
    public func set(_ choice: Choice?, in object: ObjectState) { object.set(self, to: choice) }
}
