// What the getters that `@Model` writes call: the token, which is looked at only where it is needed, and the property's
// index, which the macro knows. All of it ends up in the getter, where the index is a number: what is left of a
// property that isn't edited is a test and a load, without a call, so that the compiler has no reason to hold the
// object meanwhile.
//
// The types that most attributes have are read straight from the row. An edit, and a value of another storage class, go
// the long way.

public import Foundation

extension ObjectState {
    /// The attribute's value: the edit, the stored value, or the default.
    @inlinable @inline(__always)
    public func value<M: Model, V>(of attribute: @autoclosure () -> Attribute<M, V>, at index: Int) -> V {
        if isReadTracked() { noteRead(index) }
        return value(of: attribute())
    }

    /// The attribute's value: the edit, the stored value, or the default.
    @inlinable @inline(__always)
    public func value<M: Model>(of attribute: @autoclosure () -> Attribute<M, Int>, at index: Int) -> Int {
        if isReadTracked() { noteRead(index) }
        if let value = uneditedInteger(index) { return Int(truncatingIfNeeded: value) }
        return value(of: attribute())
    }

    /// The attribute's value: the edit, the stored value, or the default.
    @inlinable @inline(__always)
    public func value<M: Model>(of attribute: @autoclosure () -> Attribute<M, Int?>, at index: Int) -> Int? {
        if isReadTracked() { noteRead(index) }
        if let value = uneditedInteger(index) { return Int(truncatingIfNeeded: value) }
        if isUneditedNull(index) { return nil }
        return value(of: attribute())
    }

    /// The attribute's value: the edit, the stored value, or the default.
    @inlinable @inline(__always)
    public func value<M: Model>(of attribute: @autoclosure () -> Attribute<M, Bool>, at index: Int) -> Bool {
        if isReadTracked() { noteRead(index) }
        if let value = uneditedInteger(index) { return value != 0 }
        return value(of: attribute())
    }

    /// The attribute's value: the edit, the stored value, or the default.
    @inlinable @inline(__always)
    public func value<M: Model>(of attribute: @autoclosure () -> Attribute<M, Bool?>, at index: Int) -> Bool? {
        if isReadTracked() { noteRead(index) }
        if let value = uneditedInteger(index) { return value != 0 }
        if isUneditedNull(index) { return nil }
        return value(of: attribute())
    }

    /// The attribute's value: the edit, the stored value, or the default.
    @inlinable @inline(__always)
    public func value<M: Model>(of attribute: @autoclosure () -> Attribute<M, Double>, at index: Int) -> Double {
        if isReadTracked() { noteRead(index) }
        if let value = uneditedReal(index) { return value }
        return value(of: attribute())
    }

    /// The attribute's value: the edit, the stored value, or the default.
    @inlinable @inline(__always)
    public func value<M: Model>(of attribute: @autoclosure () -> Attribute<M, Double?>, at index: Int) -> Double? {
        if isReadTracked() { noteRead(index) }
        if let value = uneditedReal(index) { return value }
        if isUneditedNull(index) { return nil }
        return value(of: attribute())
    }

    // A text is loaded in one place wherever it is, so that the compiler sees one value, and copies it only for who
    // keeps it.

    /// The attribute's value: the edit, the stored value, or the default.
    @inlinable @inline(__always)
    public func value<M: Model>(of attribute: @autoclosure () -> Attribute<M, String>, at index: Int) -> String {
        if isReadTracked() { noteRead(index) }
        return withExtendedLifetime(self) { unsafe (readyText(index) ?? placeOfText(at: index)).pointee }
    }

    /// The attribute's value: the edit, the stored value, or the default.
    @inlinable @inline(__always)
    public func value<M: Model>(of attribute: @autoclosure () -> Attribute<M, String?>, at index: Int) -> String? {
        if isReadTracked() { noteRead(index) }
        if isUneditedNull(index) { return nil }
        return withExtendedLifetime(self) { unsafe (readyText(index) ?? placeOfOptionalText(at: index))?.pointee }
    }

    /// Where a text is that is read for the first time, or is edited. It is there until the next call for this object.
    ///
    /// Nothing that the caller may hold is released by it: texts of its own, and what the default's closure makes,
    /// which is `@Sendable` and so has no object. So the caller need not hold the object once more meanwhile. That is
    /// also why it takes no token: to get at one, a caller calls what may release anything.
    @unsafe @usableFromInline @_effects(releasenone)
    func placeOfText(at index: Int) -> UnsafePointer<String> {
        unsafe textToKeep(index) ?? spare(text(at: PropertyIndex(index)) ?? defaultText(at: PropertyIndex(index)) ?? "")
    }

    /// The same of an optional one.
    @unsafe @usableFromInline @_effects(releasenone)
    func placeOfOptionalText(at index: Int) -> UnsafePointer<String>? {
        unsafe textToKeep(index) ?? text(at: PropertyIndex(index)).map { unsafe spare($0) }
    }

    private func text(at index: PropertyIndex) -> String? { String(stored: stored(index)) }

    /// What a text is where there is none.
    private func defaultText(at index: PropertyIndex) -> String? {
        guard model.contains(index), case .attribute(_, let value, _) = model[index].kind else { return nil }
        return String(stored: value())
    }
}

// MARK: - Any type

extension ObjectState {
    /// The value of an attribute that is read as it lies in the row; `nil` where it isn't, as that of any other type.
    ///
    /// Which type it is the compiler knows where this is called, and leaves that one's line alone.
    @inlinable @inline(__always)
    func plainValue<Value>(as type: Value.Type, at index: Int) -> Value? {
        if type == Int.self || type == Int?.self {
            return itself(uneditedInteger(index).map { Int(truncatingIfNeeded: $0) }, at: index)
        }
        if type == Bool.self || type == Bool?.self { return itself(uneditedInteger(index).map { $0 != 0 }, at: index) }
        if type == Double.self || type == Double?.self { return itself(uneditedReal(index), at: index) }
        if type == Date.self || type == Date?.self {
            return itself(uneditedReal(index).map { Date(timeIntervalSince1970: $0) }, at: index)
        }
        if type == String.self || type == String?.self {
            let text = withExtendedLifetime(self) { unsafe (readyText(index) ?? textToKeep(index))?.pointee }
            return itself(text, at: index)
        }
        return nil
    }

    /// What was read, as the type that it is or is an optional of; the optional's nil where the row has nothing.
    @inlinable @inline(__always)
    func itself<Known, Value>(_ value: Known?, at index: Int) -> Value? {
        // Each is cast to its own type.
        if let value {
            return Value.self == Known.self
                ? unsafe unsafeBitCast(value, to: Value.self) : unsafe unsafeBitCast(Known?.some(value), to: Value.self)
        }
        guard Value.self == Known?.self, isUneditedNull(index) else { return nil }
        return unsafe unsafeBitCast(Known?.none, to: Value.self)
    }
}

// MARK: - Types that the macro sees

// The same for properties whose type the macro sees by the spelling: of each there is one, so that the compiler has
// nothing to choose, as it has among the functions above, which take several times as long to check.

extension ObjectState {
    /// The attribute's value, an integer.
    @inlinable @inline(__always) @_documentation(visibility: internal)
    public func integer<M: Model>(of attribute: @autoclosure () -> Attribute<M, Int>, at index: Int) -> Int {
        value(of: attribute(), at: index)
    }

    /// The attribute's value, an integer or none.
    @inlinable @inline(__always) @_documentation(visibility: internal)
    public func optionalInteger<M: Model>(of attribute: @autoclosure () -> Attribute<M, Int?>, at index: Int) -> Int? {
        value(of: attribute(), at: index)
    }

    /// The attribute's value, a Boolean value.
    @inlinable @inline(__always) @_documentation(visibility: internal)
    public func boolean<M: Model>(of attribute: @autoclosure () -> Attribute<M, Bool>, at index: Int) -> Bool {
        value(of: attribute(), at: index)
    }

    /// The attribute's value, a Boolean value or none.
    @inlinable @inline(__always) @_documentation(visibility: internal)
    public func optionalBoolean<M: Model>(of attribute: @autoclosure () -> Attribute<M, Bool?>, at index: Int) -> Bool?
    {
        value(of: attribute(), at: index)
    }

    /// The attribute's value, a number.
    @inlinable @inline(__always) @_documentation(visibility: internal)
    public func real<M: Model>(of attribute: @autoclosure () -> Attribute<M, Double>, at index: Int) -> Double {
        value(of: attribute(), at: index)
    }

    /// The attribute's value, a number or none.
    @inlinable @inline(__always) @_documentation(visibility: internal)
    public func optionalReal<M: Model>(of attribute: @autoclosure () -> Attribute<M, Double?>, at index: Int) -> Double?
    {
        value(of: attribute(), at: index)
    }

    /// The attribute's value, a text.
    @inlinable @inline(__always) @_documentation(visibility: internal)
    public func text<M: Model>(of attribute: @autoclosure () -> Attribute<M, String>, at index: Int) -> String {
        value(of: attribute(), at: index)
    }

    /// The attribute's value, a text or none.
    @inlinable @inline(__always) @_documentation(visibility: internal)
    public func optionalText<M: Model>(of attribute: @autoclosure () -> Attribute<M, String?>, at index: Int) -> String?
    {
        value(of: attribute(), at: index)
    }
}

// MARK: - Relationships

extension ObjectState {
    /// The object that the link references, read from the file if it isn't live; nil when there is none.
    @inlinable @inline(__always)
    public func value<M: Model, D: Model>(of link: @autoclosure () -> ToOne<M, D>, at index: Int) -> D? {
        if isReadTracked() { noteRead(index) }
        if isReady(index) {
            let target = slots[index &* 2]
            if target == Snapshot.noTarget { return nil }
            // What is kept are objects of a table with one model, whose class is the link's.
            if let object = LooseReference.object(target).map({ unsafe unsafeDowncast($0, to: D.self) }),
                object._object.isOfFile
            {
                return object
            }
        }
        return firstValue(of: link(), at: index)
    }

    /// The list's members in their order, deleted ones left out; read from the file if they aren't live.
    @inlinable @inline(__always)
    public func value<M: Model, D: Model>(of list: @autoclosure () -> ToMany<M, D>, at index: Int) -> [D] {
        if isReadTracked() { noteRelatedRead(index) }
        return value(of: list())
    }

    /// The same of a link that is followed for the first time, or is edited.
    @usableFromInline
    func firstValue<M: Model, D: Model>(of link: ToOne<M, D>, at index: Int) -> D? {
        // As above.
        if let object = liveTarget(at: index) { return unsafe unsafeDowncast(object, to: D.self) }
        if isUneditedNull(index), leadsNowhere(at: index) { return nil }
        return value(of: link)
    }

    /// The live object that a link leads to by the row alone; `nil` where that says nothing, or where more has to be
    /// looked at: an edit, its other side, which of several classes it is.
    ///
    /// Where nothing but the row says where the link leads, its target is kept in the slot. It is the row's object as
    /// long as it is of the file and not deleted: another instance takes its place only where it dies, or turns out to
    /// be that.
    private func liveTarget(at index: Int) -> AnyObject? {
        guard let row = uneditedInteger(index) ?? followedRow(index), let context,
            let link = context.schema.plainLink(PropertyIndex(index), of: model.table),
            !link.isOneToOne || context.unsaved.isEmpty
        else { return nil }
        let map = context.maps[link.target]
        let target = map.object(RowID(row)) { target in
            target.isOfFile && (link.inverse.map { target.isUnedited($0.rawValue) } ?? true)
        }
        if target != nil, !link.isOneToOne { keepTarget(map.reference(RowID(row)), at: index) }
        return target
    }

    /// Finds what the written links lead to while the row is at hand, so that they are followed as fast the first time.
    func keepTargets(of written: EditMap) {
        for (index, edit) in written where edit.value.row != nil { _ = liveTarget(at: index.rawValue) }
    }

    /// Whether a link without a row leads nowhere: not where an unsaved link back may lead here.
    private func leadsNowhere(at index: Int) -> Bool {
        guard let context, let link = context.schema.plainLink(PropertyIndex(index), of: model.table) else {
            return false
        }
        if !link.isOneToOne { keepTarget(nil, at: index) }
        return !link.isOneToOne || context.unsaved.isEmpty
    }
}
