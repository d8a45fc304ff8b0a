/// A value that was set and isn't saved. That of a to-one link is the target's row.
package struct Edit: Sendable {
    private enum Kind: UInt8 {
        case value, left, endsWaiting, cutOff
    }

    /// The value; of a link that left a list, that list's owner instead, as its value is null.
    private var content: StoredValue
    private var kind: Kind
    /// The property, in an ``EditMap``.
    fileprivate var key: Int32 = 0
    package let stamp: ChangeStamp

    @inline(__always)
    package init(_ value: consuming StoredValue, at stamp: ChangeStamp) {
        self.content = value
        self.kind = .value
        self.stamp = stamp
    }

    /// - Parameters:
    ///   - leaving: see ``leaving``.
    ///   - endsWaiting: see ``endsWaiting``.
    package init(ofLink value: StoredValue, leaving: RowID?, endsWaiting: Bool, at stamp: ChangeStamp) {
        self.content = leaving.map { StoredValue($0) } ?? value
        self.kind = leaving != nil ? .left : endsWaiting ? .endsWaiting : .value
        self.stamp = stamp
    }

    package var value: StoredValue {
        get { kind == .left ? .null : content }
        set { (content, kind) = (newValue, [.endsWaiting, .cutOff].contains(kind) && newValue.isNull ? kind : .value) }
    }

    /// Of a link that is nil because the object left a list: the list's owner. Nothing is edited where the link leads
    /// elsewhere by now.
    package var leaving: RowID? {
        get { kind == .left ? content.row : nil }
        set { if kind == .left, let newValue { content = StoredValue(newValue) } }
    }

    /// Of a link that is nil: whether the file has it waiting for its target, so that nil is an edit.
    package var endsWaiting: Bool { kind == .endsWaiting }

    /// Of a link that is nil: whether the file's is nil, too, only because what it led to was deleted, which says nothing of the
    /// link: nil is an edit.
    package var isCutOff: Bool { kind == .cutOff }

    package mutating func noteCutOff() { (content, kind) = (.null, .cutOff) }
}

/// The edits of an object, in the order of their properties.
///
/// One alone, as most edited objects have, is in the map's own memory and takes no allocation.
package struct EditMap: Sendable {
    package typealias Element = (key: PropertyIndex, value: Edit)

    private var only: Edit?
    /// None beside `only`.
    private var edits: [Edit] = []
    /// A bit for each property that has an edit; those 64 apart share one.
    private(set) var mask: UInt64 = 0

    @inline(__always)
    package init() {}

    @inline(__always)
    package var isEmpty: Bool { mask == 0 }

    /// Whether the property has an edit; true for some that have none.
    @inline(__always)
    package func mayContain(_ key: PropertyIndex) -> Bool { mask & Self.bit(key) != 0 }

    /// Whether the property has an edit.
    package func has(_ key: PropertyIndex) -> Bool {
        guard mayContain(key) else { return false }
        if let only { return only.key == key.rawValue }
        let index = index(for: Int32(truncatingIfNeeded: key.rawValue))
        return index < edits.count && edits[index].key == key.rawValue
    }

    package subscript(key: PropertyIndex) -> Edit? {
        @inline(__always)
        get { mayContain(key) ? edit(of: key) : nil }
        set {
            if let newValue { set(newValue, for: key) } else { removeValue(forKey: key) }
        }
    }

    package mutating func reserveCapacity(_ count: Int) { edits.reserveCapacity(count) }

    package mutating func set(_ edit: consuming Edit, for key: PropertyIndex) {
        edit.key = Int32(truncatingIfNeeded: key.rawValue)
        let count = edits.count
        if count > 0 {
            // Mostly in their order.
            if edits[count - 1].key < edit.key { edits.append(edit) } else { insert(edit) }
        } else if mask == 0, edits.capacity > 0 {
            edits.append(edit)
        } else if mask == 0 {
            only = edit
        } else if let single = only, single.key == edit.key {
            only = edit
        } else {
            if let single = only { edits.append(single) }
            only = nil
            insert(edit)
        }
        mask |= Self.bit(key)
    }

    private mutating func insert(_ edit: consuming Edit) {
        let index = index(for: edit.key)
        if index < edits.count, edits[index].key == edit.key {
            edits[index] = edit
        } else {
            edits.insert(edit, at: index)
        }
    }

    package mutating func removeValue(forKey key: PropertyIndex) {
        guard mayContain(key) else { return }
        if let single = only {
            guard single.key == key.rawValue else { return }
            (only, mask) = (nil, 0)
            return
        }
        let index = index(for: Int32(truncatingIfNeeded: key.rawValue))
        guard index < edits.count, edits[index].key == key.rawValue else { return }
        edits.remove(at: index)
        mask = edits.reduce(0) { $0 | Self.bit($1.property) }
    }

    private func edit(of key: PropertyIndex) -> Edit? {
        if let only { return only.key == key.rawValue ? only : nil }
        let index = index(for: Int32(truncatingIfNeeded: key.rawValue))
        return index < edits.count && edits[index].key == key.rawValue ? edits[index] : nil
    }

    /// Where the property stands, or is to stand; looked for from the end, as properties are mostly set in their order.
    private func index(for key: Int32) -> Int {
        var index = edits.count
        while index > 0, edits[index - 1].key >= key { index -= 1 }
        return index
    }

    @inline(__always)
    private static func bit(_ key: PropertyIndex) -> UInt64 { 1 &<< UInt64(truncatingIfNeeded: key.rawValue) }
}

extension Edit {
    fileprivate var property: PropertyIndex { PropertyIndex(Int(key)) }
}

// MARK: - As a dictionary

extension EditMap: RandomAccessCollection {
    package var startIndex: Int { 0 }
    package var endIndex: Int { only == nil ? edits.count : 1 }
    package subscript(position: Int) -> Element {
        let edit = only ?? edits[position]
        return (edit.property, edit)
    }
}

extension EditMap: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (PropertyIndex, Edit)...) {
        for (key, edit) in elements { set(edit, for: key) }
    }
}

extension EditMap {
    package func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> EditMap {
        var map = EditMap()
        for element in self where try isIncluded(element) { map.set(element.value, for: element.key) }
        return map
    }

    package func mapValues<Other>(_ transform: (Edit) throws -> Other) rethrows -> PropertyMap<Other> {
        try PropertyMap(uniqueKeysWithValues: map { ($0.key, try transform($0.value)) })
    }

    /// Adds those of properties that have none.
    package mutating func fill(with other: EditMap) {
        for (key, edit) in other where self[key] == nil { set(edit, for: key) }
    }
}

extension PropertyMap<StoredValue> {
    /// The values of edits, and of the properties without one those of `defaults`.
    package init(_ edits: EditMap, over defaults: PropertyMap = [:]) {
        self.init()
        reserveCapacity(edits.count + defaults.count)
        var next = 0
        for (key, edit) in edits {
            while next < defaults.count, defaults[next].key < key {
                self[defaults[next].key] = defaults[next].value
                next += 1
            }
            if next < defaults.count, defaults[next].key == key { next += 1 }
            self[key] = edit.value
        }
        for (key, value) in defaults[next...] { self[key] = value }
    }
}
