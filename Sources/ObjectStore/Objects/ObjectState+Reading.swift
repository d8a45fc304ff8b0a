// The getters that `@Model` writes call these functions with the token and the property's index. They are inlined, so
// an unedited property of a common type takes a test and a load, and the object is read unretained. The token is
// evaluated only if needed.

public import Foundation

extension ObjectState {
    /// The attribute's value.
    @inlinable @inline(__always)
    public func value<M: Model, V>(of attribute: @autoclosure () -> Attribute<M, V>, at index: Int) -> V {
        if isReadTracked() { noteRead(index) }
        return value(of: attribute())
    }

    /// The attribute's value.
    @inlinable @inline(__always)
    public func value<M: Model>(of attribute: @autoclosure () -> Attribute<M, Int>, at index: Int) -> Int {
        if isReadTracked() { noteRead(index) }
        if let value = uneditedInteger(index) { return Int(truncatingIfNeeded: value) }
        return value(of: attribute())
    }

    /// The attribute's value.
    @inlinable @inline(__always)
    public func value<M: Model>(of attribute: @autoclosure () -> Attribute<M, Int?>, at index: Int) -> Int? {
        if isReadTracked() { noteRead(index) }
        if let value = uneditedInteger(index) { return Int(truncatingIfNeeded: value) }
        if isUneditedNull(index) { return nil }
        return value(of: attribute())
    }

    /// The attribute's value.
    @inlinable @inline(__always)
    public func value<M: Model>(of attribute: @autoclosure () -> Attribute<M, Bool>, at index: Int) -> Bool {
        if isReadTracked() { noteRead(index) }
        if let value = uneditedInteger(index) { return value != 0 }
        return value(of: attribute())
    }

    /// The attribute's value.
    @inlinable @inline(__always)
    public func value<M: Model>(of attribute: @autoclosure () -> Attribute<M, Bool?>, at index: Int) -> Bool? {
        if isReadTracked() { noteRead(index) }
        if let value = uneditedInteger(index) { return value != 0 }
        if isUneditedNull(index) { return nil }
        return value(of: attribute())
    }

    /// The attribute's value.
    @inlinable @inline(__always)
    public func value<M: Model>(of attribute: @autoclosure () -> Attribute<M, Double>, at index: Int) -> Double {
        if isReadTracked() { noteRead(index) }
        if let value = uneditedReal(index) { return value }
        return value(of: attribute())
    }

    /// The attribute's value.
    @inlinable @inline(__always)
    public func value<M: Model>(of attribute: @autoclosure () -> Attribute<M, Double?>, at index: Int) -> Double? {
        if isReadTracked() { noteRead(index) }
        if let value = uneditedReal(index) { return value }
        if isUneditedNull(index) { return nil }
        return value(of: attribute())
    }

    /// The attribute's value.
    @inlinable @inline(__always)
    public func value<M: Model>(of attribute: @autoclosure () -> Attribute<M, String>, at index: Int) -> String {
        if isReadTracked() { noteRead(index) }
        return withExtendedLifetime(self) { unsafe (readyText(index) ?? placeOfText(at: index)).pointee }
    }

    /// The attribute's value.
    @inlinable @inline(__always)
    public func value<M: Model>(of attribute: @autoclosure () -> Attribute<M, String?>, at index: Int) -> String? {
        if isReadTracked() { noteRead(index) }
        if isUneditedNull(index) { return nil }
        return withExtendedLifetime(self) { unsafe (readyText(index) ?? placeOfOptionalText(at: index))?.pointee }
    }

    /// The address of a text that is edited or read for the first time, valid until the next call for this object.
    ///
    /// The function releases only its own texts and the result of the default's `@Sendable` closure, so the caller can
    /// omit a retain of the object. Evaluating a token could release anything.
    @unsafe @usableFromInline @_effects(releasenone)
    func placeOfText(at index: Int) -> UnsafePointer<String> {
        unsafe textToKeep(index) ?? spare(text(at: PropertyIndex(index)) ?? defaultText(at: PropertyIndex(index)) ?? "")
    }

    /// Like ``placeOfText(at:)``, for an optional text.
    @unsafe @usableFromInline @_effects(releasenone)
    func placeOfOptionalText(at index: Int) -> UnsafePointer<String>? {
        unsafe textToKeep(index) ?? text(at: PropertyIndex(index)).map { unsafe spare($0) }
    }

    private func text(at index: PropertyIndex) -> String? { String(stored: stored(index)) }

    private func defaultText(at index: PropertyIndex) -> String? {
        guard model.contains(index), case .attribute(_, let value, _) = model[index].kind else { return nil }
        return String(stored: value())
    }
}

// MARK: - Any type

extension ObjectState {
    /// An unedited attribute's value. Nil for types that need a conversion. At each call, the compiler knows the type,
    /// and keeps only that type's line.
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

    /// Returns a value as `Value`, if that is `Known` or `Known?`. A null in the row is the optional's nil.
    @inlinable @inline(__always)
    func itself<Known, Value>(_ value: Known?, at index: Int) -> Value? {
        // Safe: the conditions make sure that each value is cast to its own type.
        if let value {
            return Value.self == Known.self
                ? unsafe unsafeBitCast(value, to: Value.self) : unsafe unsafeBitCast(Known?.some(value), to: Value.self)
        }
        guard Value.self == Known?.self, isUneditedNull(index) else { return nil }
        return unsafe unsafeBitCast(Known?.none, to: Value.self)
    }
}

// MARK: - Types that the macro sees

// These have names of their own, because resolving the overloads above takes the compiler several times as long.

extension ObjectState {
    /// The attribute's value.
    @inlinable @inline(__always) @_documentation(visibility: internal)
    public func integer<M: Model>(of attribute: @autoclosure () -> Attribute<M, Int>, at index: Int) -> Int {
        value(of: attribute(), at: index)
    }

    /// The attribute's value.
    @inlinable @inline(__always) @_documentation(visibility: internal)
    public func optionalInteger<M: Model>(of attribute: @autoclosure () -> Attribute<M, Int?>, at index: Int) -> Int? {
        value(of: attribute(), at: index)
    }

    /// The attribute's value.
    @inlinable @inline(__always) @_documentation(visibility: internal)
    public func boolean<M: Model>(of attribute: @autoclosure () -> Attribute<M, Bool>, at index: Int) -> Bool {
        value(of: attribute(), at: index)
    }

    /// The attribute's value.
    @inlinable @inline(__always) @_documentation(visibility: internal)
    public func optionalBoolean<M: Model>(of attribute: @autoclosure () -> Attribute<M, Bool?>, at index: Int) -> Bool?
    {
        value(of: attribute(), at: index)
    }

    /// The attribute's value.
    @inlinable @inline(__always) @_documentation(visibility: internal)
    public func real<M: Model>(of attribute: @autoclosure () -> Attribute<M, Double>, at index: Int) -> Double {
        value(of: attribute(), at: index)
    }

    /// The attribute's value.
    @inlinable @inline(__always) @_documentation(visibility: internal)
    public func optionalReal<M: Model>(of attribute: @autoclosure () -> Attribute<M, Double?>, at index: Int) -> Double?
    {
        value(of: attribute(), at: index)
    }

    /// The attribute's value.
    @inlinable @inline(__always) @_documentation(visibility: internal)
    public func text<M: Model>(of attribute: @autoclosure () -> Attribute<M, String>, at index: Int) -> String {
        value(of: attribute(), at: index)
    }

    /// The attribute's value.
    @inlinable @inline(__always) @_documentation(visibility: internal)
    public func optionalText<M: Model>(of attribute: @autoclosure () -> Attribute<M, String?>, at index: Int) -> String?
    {
        value(of: attribute(), at: index)
    }
}

// MARK: - Relationships

extension ObjectState {
    /// The object that the link references.
    @inlinable @inline(__always)
    public func value<M: Model, D: Model>(of link: @autoclosure () -> ToOne<M, D>, at index: Int) -> D? {
        if isReadTracked() { noteRead(index) }
        if isReady(index) {
            let target = slots[index &* 2]
            if target == Snapshot.noTarget { return nil }
            // Safe: slots keep targets only for links to a table with one model, the link's class.
            if let object = LooseReference.object(target).map({ unsafe unsafeDowncast($0, to: D.self) }),
                object._object.isOfFile
            {
                return object
            }
        }
        return firstValue(of: link(), at: index)
    }

    /// The list's members.
    @inlinable @inline(__always)
    public func value<M: Model, D: Model>(of list: @autoclosure () -> ToMany<M, D>, at index: Int) -> [D] {
        if isReadTracked() { noteRelatedRead(index) }
        return value(of: list())
    }

    @usableFromInline
    func firstValue<M: Model, D: Model>(of link: ToOne<M, D>, at index: Int) -> D? {
        // Safe: a live target has the link's class.
        if let object = liveTarget(at: index) { return unsafe unsafeDowncast(object, to: D.self) }
        if isUneditedNull(index), leadsNowhere(at: index) { return nil }
        return value(of: link)
    }

    /// The live target of an unedited link. Nil if edits of the inverse, or several classes, matter.
    ///
    /// The slot keeps it, unless the link is one-to-one. It stays valid until it is deleted: another instance replaces
    /// it only after its release or a unification.
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

    /// Makes the next read of the saved links as fast as later ones.
    func keepTargets(of written: EditMap) {
        for (index, edit) in written where edit.value.row != nil { _ = liveTarget(at: index.rawValue) }
    }

    /// False if an unsaved edit of the inverse may set a one-to-one link.
    private func leadsNowhere(at index: Int) -> Bool {
        guard let context, let link = context.schema.plainLink(PropertyIndex(index), of: model.table) else {
            return false
        }
        if !link.isOneToOne { keepTarget(nil, at: index) }
        return !link.isOneToOne || context.unsaved.isEmpty
    }
}
