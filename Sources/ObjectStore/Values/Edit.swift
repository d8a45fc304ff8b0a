/// A value that was set and isn't saved. That of a to-one link is the target's row.
@usableFromInline package struct Edit: Sendable {
    @usableFromInline enum Kind: UInt8, Sendable {
        case value, left, endsWaiting, cutOff
    }

    /// The value; of a link that left a list, that list's owner instead, as its value is null.
    @usableFromInline var content: StoredValue
    @usableFromInline var kind: Kind
    /// The property, in an ``EditMap``.
    @usableFromInline var key: Int32 = 0
    @usableFromInline let stampNumber: Int64
    package var stamp: ChangeStamp { ChangeStamp(stampNumber) }

    @inline(__always)
    package init(_ value: consuming StoredValue, at stamp: ChangeStamp) {
        self.content = value
        self.kind = .value
        self.stampNumber = stamp.rawValue
    }

    /// The same of a property, to be put into an ``EditMap``.
    @inlinable @inline(__always)
    init(_ value: consuming StoredValue, of index: Int, at stamp: Int64) {
        self.content = value
        self.kind = .value
        self.key = Int32(truncatingIfNeeded: index)
        self.stampNumber = stamp
    }

    /// - Parameters:
    ///   - leaving: see ``leaving``.
    ///   - endsWaiting: see ``endsWaiting``.
    package init(ofLink value: StoredValue, leaving: RowID?, endsWaiting: Bool, at stamp: ChangeStamp) {
        self.content = leaving.map { StoredValue($0) } ?? value
        self.kind = leaving != nil ? .left : endsWaiting ? .endsWaiting : .value
        self.stampNumber = stamp.rawValue
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

    /// Of a link that is nil: whether the file's is nil, too, only because what it led to was deleted, which says
    /// nothing of the link: nil is an edit.
    package var isCutOff: Bool { kind == .cutOff }

    package mutating func noteCutOff() { (content, kind) = (.null, .cutOff) }
}

/// The edits of an object, in the order of their properties.
///
/// One alone, as most edited objects have, is in the map's own memory and takes no allocation.
///
/// `@unchecked Sendable`: several share a room only as ``EditRoom`` says, none of which changes what another looks at.
package struct EditMap: @unchecked Sendable {
    package typealias Element = (key: PropertyIndex, value: Edit)

    private var only: Edit?
    /// None beside `only`.
    private var room: EditRoom?
    /// How many of those in the room are the map's; others that share it may have more.
    private var roomCount = 0
    /// A bit for each property that has an edit; those 64 apart share one.
    private(set) var mask: UInt64 = 0

    // Each sets all by itself: what another initializer makes is copied.
    @inline(__always)
    package init() { room = nil }

    /// A map with room for so many edits.
    @inline(__always)
    init(roomFor count: Int) { room = count > 0 ? EditRoom.make(for: count) : nil }

    @inline(__always)
    package var isEmpty: Bool { mask == 0 }

    /// Whether the property has an edit; true for some that have none.
    @inline(__always)
    package func mayContain(_ key: PropertyIndex) -> Bool { mask & Self.bit(key) != 0 }

    /// Whether the property has an edit.
    package func has(_ key: PropertyIndex) -> Bool { mayContain(key) && place(of: key).isFound }

    package subscript(key: PropertyIndex) -> Edit? {
        @inline(__always)
        get { mayContain(key) ? edit(of: key) : nil }
        set {
            if let newValue { set(newValue, for: key) } else { removeValue(forKey: key) }
        }
    }

    package mutating func set(_ edit: consuming Edit, for key: PropertyIndex) {
        edit.key = Int32(truncatingIfNeeded: key.rawValue)
        let isFirst = mask == 0
        mask |= Self.bit(key)
        if isFirst, room == nil {
            only = edit
            return
        }
        if let single = only {
            if single.key == edit.key {
                only = edit
                return
            }
            only = nil
            let other = EditRoom.make(for: 4)
            other.insert(single, at: 0)
            (room, roomCount) = (other, 1)
        }
        let place = place(of: key)
        let room = ownRoom(for: place.isFound ? 0 : 1)
        if place.isFound {
            room.replace(at: place.index, with: edit)
        } else {
            room.insert(edit, at: place.index)
            roomCount += 1
        }
    }

    package mutating func removeValue(forKey key: PropertyIndex) {
        guard mayContain(key), case let place = place(of: key), place.isFound else { return }
        guard only == nil else {
            (only, mask) = (nil, 0)
            return
        }
        ownRoom(for: 0).remove(at: place.index)
        roomCount -= 1
        mask = reduce(0) { $0 | Self.bit($1.key) }
    }

    private func edit(of key: PropertyIndex) -> Edit? {
        let place = place(of: key)
        return place.isFound ? self[position: place.index] : nil
    }

    /// Where the property stands, or is to stand; looked for from the end, as properties are mostly set in their order.
    private func place(of key: PropertyIndex) -> (index: Int, isFound: Bool) {
        let key = Int32(truncatingIfNeeded: key.rawValue)
        var index = count
        while index > 0, case let found = self.key(at: index - 1), found >= key {
            if found == key { return (index - 1, true) }
            index -= 1
        }
        return (index, false)
    }

    private func key(at position: Int) -> Int32 {
        if let only { return only.key }
        return room?.key(at: position) ?? 0
    }

    /// - Parameter position: less than the count.
    fileprivate subscript(position position: Int) -> Edit? { only ?? room?.edit(at: position) }

    /// The room, with so much left, when nobody else has it.
    private mutating func ownRoom(for count: Int) -> EditRoom {
        if isKnownUniquelyReferenced(&room), let room, room.has(roomCount, and: count) { return room }
        let own = EditRoom.make(for: Swift.max(roomCount + count, roomCount * 2))
        for index in 0..<roomCount {
            if let edit = room?.edit(at: index) { own.insert(edit, at: index) }
        }
        room = own
        return own
    }

    @inline(__always)
    private static func bit(_ key: PropertyIndex) -> UInt64 { 1 &<< UInt64(truncatingIfNeeded: key.rawValue) }
}

// MARK: - Edits that are added one after the other

extension EditMap {
    /// Where the edit of a property is to be put that comes after all that have one, and behind that the next; `nil`
    /// where there is no room for so many, which nobody else has taken. Others that share the room don't look there, so
    /// nothing is copied. It is for the object whose edits these are, and for no copy of them, and as long as this map
    /// has the room.
    @unsafe @inline(__always)
    func nextPlace(for count: Int) -> UnsafeMutablePointer<Edit>? {
        // The map holds it meanwhile.
        guard let room = unsafe room.map({ unsafe Unmanaged.passUnretained($0) }) else { return nil }
        return unsafe room._withUnsafeGuaranteedRef { room in
            unsafe room.has(roomCount, and: count) ? room.place(roomCount) : nil
        }
    }

    /// Takes in the edits that were put there.
    ///
    /// - Parameter mask: the properties that have one now.
    mutating func count(_ mask: UInt64) {
        let added = (mask ^ self.mask).nonzeroBitCount
        room?.count(added)
        roomCount &+= added
        self.mask = mask
    }

    /// Puts the only edit into a map that has none, and no room. It is none of the map's before it is counted.
    @inline(__always)
    mutating func putOnly(_ edit: consuming Edit) { only = edit }

    /// The edit that was put there.
    var uncounted: Edit? { mask == 0 ? only : nil }

    mutating func countUncounted(isKept: Bool) {
        if isKept, let only { mask = Self.bit(only.property) } else { only = nil }
    }

    /// Whether edits are not in a room.
    @inline(__always)
    var hasNoRoom: Bool { room == nil }
}

/// Memory for edits, in their order. Maps that are copies of each other share it, and each knows how many are its own.
///
/// What is there is not changed while a second map has it. What the object whose edits they are puts behind
/// (``EditMap/nextPlace(for:)``) no other map looks at; and the count is for that object, and for who has the room
/// alone.
private final class EditRoom: ManagedBuffer<EditRoom.Header, Edit> {
    struct Header {
        var count = 0
        let capacity: Int
    }

    static func make(for capacity: Int) -> EditRoom {
        // The class is final and `create` makes an instance of it, so the cast holds.
        unsafe unsafeDowncast(
            EditRoom.create(minimumCapacity: capacity) { _ in Header(capacity: capacity) }, to: EditRoom.self)
    }

    deinit {
        // As many are there as the header says, here and below.
        _ = unsafe withUnsafeMutablePointers { header, edits in unsafe edits.deinitialize(count: header.pointee.count) }
    }

    /// Whether a map with so many has all that are there, and there is room for some more.
    @inline(__always)
    func has(_ count: Int, and more: Int) -> Bool {
        unsafe withUnsafeMutablePointerToHeader { header in
            unsafe header.pointee.count == count && count + more <= header.pointee.capacity
        }
    }

    /// Where one stands.
    @unsafe @inline(__always)
    func place(_ index: Int) -> UnsafeMutablePointer<Edit> {
        unsafe withUnsafeMutablePointerToElements { edits in unsafe edits + index }
    }

    /// So many more are there, behind the others.
    func count(_ added: Int) { unsafe withUnsafeMutablePointerToHeader { unsafe $0.pointee.count &+= added } }

    func insert(_ edit: Edit, at index: Int) {
        unsafe withUnsafeMutablePointers { header, edits in
            let count = unsafe header.pointee.count
            unsafe (edits + index + 1).moveInitialize(from: edits + index, count: count - index)
            unsafe (edits + index).initialize(to: edit)
            unsafe header.pointee.count = count + 1
        }
    }

    func replace(at index: Int, with edit: Edit) {
        unsafe withUnsafeMutablePointerToElements { edits in unsafe edits[index] = edit }
    }

    func remove(at index: Int) {
        unsafe withUnsafeMutablePointers { header, edits in
            let count = unsafe header.pointee.count
            unsafe (edits + index).deinitialize(count: 1)
            unsafe (edits + index).moveInitialize(from: edits + index + 1, count: count - index - 1)
            unsafe header.pointee.count = count - 1
        }
    }

    func edit(at index: Int) -> Edit { unsafe withUnsafeMutablePointerToElements { edits in unsafe edits[index] } }

    func key(at index: Int) -> Int32 {
        unsafe withUnsafeMutablePointerToElements { edits in unsafe edits[index].key }
    }
}

extension Edit {
    fileprivate var property: PropertyIndex { PropertyIndex(Int(key)) }
}

// MARK: - As a dictionary

extension EditMap: RandomAccessCollection {
    package var startIndex: Int { 0 }
    package var endIndex: Int { only == nil ? roomCount : 1 }
    package subscript(position: Int) -> Element {
        // As an array's, the position is one of ``indices``, where there is an edit.
        let edit = unsafe self[position: position].unsafelyUnwrapped
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
