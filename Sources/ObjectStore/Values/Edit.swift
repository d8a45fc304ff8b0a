/// An unsaved edit. The value of a to-one link is the target's row.
@usableFromInline package struct Edit: Sendable {
    @usableFromInline enum Kind: UInt8, Sendable {
        case value, left, endsWaiting, cutOff
    }

    /// The value. If `kind` is `left`, the list's owner, and the value is null.
    @usableFromInline var content: StoredValue
    @usableFromInline var kind: Kind
    /// The property, within an ``EditMap``.
    @usableFromInline var key: Int32 = 0
    @usableFromInline let stampNumber: Int64
    package var stamp: ChangeStamp { ChangeStamp(stampNumber) }

    @inline(__always)
    package init(_ value: consuming StoredValue, at stamp: ChangeStamp) {
        self.content = value
        self.kind = .value
        self.stampNumber = stamp.rawValue
    }

    @inlinable @inline(__always)
    init(_ value: consuming StoredValue, of index: Int, at stamp: Int64) {
        self.content = value
        self.kind = .value
        self.key = Int32(truncatingIfNeeded: index)
        self.stampNumber = stamp
    }

    package init(ofLink value: StoredValue, leaving: RowID?, endsWaiting: Bool, at stamp: ChangeStamp) {
        self.content = leaving.map { StoredValue($0) } ?? value
        self.kind = leaving != nil ? .left : endsWaiting ? .endsWaiting : .value
        self.stampNumber = stamp.rawValue
    }

    package var value: StoredValue {
        get { kind == .left ? .null : content }
        set { (content, kind) = (newValue, [.endsWaiting, .cutOff].contains(kind) && newValue.isNull ? kind : .value) }
    }

    /// The owner of the list that the object left, which made the link nil. `nil` if the link has been set since.
    package var leaving: RowID? {
        get { kind == .left ? content.row : nil }
        set { if kind == .left, let newValue { content = StoredValue(newValue) } }
    }

    /// For a nil link: the file has a pending link, so that nil is an edit.
    package var endsWaiting: Bool { kind == .endsWaiting }

    /// For a nil link: the file's link is nil only because its target was deleted. Setting nil is still an edit then.
    package var isCutOff: Bool { kind == .cutOff }

    package mutating func noteCutOff() { (content, kind) = (.null, .cutOff) }
}

/// The edits of an object, in the order of the properties. A single edit is stored in the map itself, which saves an
/// allocation.
///
/// `@unchecked Sendable`: copies share an ``EditRoom``, which never changes elements that another map reads.
package struct EditMap: @unchecked Sendable {
    package typealias Element = (key: PropertyIndex, value: Edit)

    private var only: Edit?
    /// For several edits; then `only` is `nil`.
    private var room: EditRoom?
    /// The number of this map's edits. Other maps that share the room may have more.
    private var roomCount = 0
    /// Properties 64 apart share a bit.
    private(set) var mask: UInt64 = 0

    // Set directly, because calling another initializer would copy the map.
    @inline(__always)
    package init() { room = nil }

    @inline(__always)
    init(roomFor count: Int) { room = count > 0 ? EditRoom.make(for: count) : nil }

    @inline(__always)
    package var isEmpty: Bool { mask == 0 }

    /// True for edited properties, and perhaps for others.
    @inline(__always)
    package func mayContain(_ key: PropertyIndex) -> Bool { mask & Self.bit(key) != 0 }

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

    /// The edit's index, or the index to insert at. Most properties are set in order.
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

    /// An unshared room with space for `count` more edits, copied if necessary.
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
    /// The address for an edit after all others; further edits follow. `nil` if the room lacks space for `count` edits,
    /// or another map has used it.
    ///
    /// Copies that share the room ignore these addresses, so writing there is safe. Only the object with these edits
    /// may write, and only while this map has the room.
    @unsafe @inline(__always)
    func nextPlace(for count: Int) -> UnsafeMutablePointer<Edit>? {
        // Safe: the map holds the room during the call.
        guard let room = unsafe room.map({ unsafe Unmanaged.passUnretained($0) }) else { return nil }
        return unsafe room._withUnsafeGuaranteedRef { room in
            unsafe room.has(roomCount, and: count) ? room.place(roomCount) : nil
        }
    }

    /// - Parameter mask: the properties that have an edit now.
    mutating func count(_ mask: UInt64) {
        let added = (mask ^ self.mask).nonzeroBitCount
        room?.count(added)
        roomCount &+= added
        self.mask = mask
    }

    /// The edit becomes part of an empty map without a room when it is counted.
    @inline(__always)
    mutating func putOnly(_ edit: consuming Edit) { only = edit }

    var uncounted: Edit? { mask == 0 ? only : nil }

    mutating func countUncounted(isKept: Bool) {
        if isKept, let only { mask = Self.bit(only.property) } else { only = nil }
    }

    @inline(__always)
    var hasNoRoom: Bool { room == nil }
}

/// Copies of a map share this memory, each with its own count.
///
/// Shared elements stay the same. The object with the edits appends beyond the counts of other maps
/// (``EditMap/nextPlace(for:)``). The room's count is read only by that object, and by a map that owns the room alone.
private final class EditRoom: ManagedBuffer<EditRoom.Header, Edit> {
    struct Header {
        var count = 0
        let capacity: Int
    }

    static func make(for capacity: Int) -> EditRoom {
        // Safe: `create` returns an instance of this class, which is final.
        unsafe unsafeDowncast(
            EditRoom.create(minimumCapacity: capacity) { _ in Header(capacity: capacity) }, to: EditRoom.self)
    }

    deinit {
        // Safe: the header has the number of initialized elements, here and below.
        _ = unsafe withUnsafeMutablePointers { header, edits in unsafe edits.deinitialize(count: header.pointee.count) }
    }

    /// Whether a map with `count` edits has all elements, and the room space for `more`.
    @inline(__always)
    func has(_ count: Int, and more: Int) -> Bool {
        unsafe withUnsafeMutablePointerToHeader { header in
            unsafe header.pointee.count == count && count + more <= header.pointee.capacity
        }
    }

    @unsafe @inline(__always)
    func place(_ index: Int) -> UnsafeMutablePointer<Edit> {
        unsafe withUnsafeMutablePointerToElements { edits in unsafe edits + index }
    }

    /// Counts elements that were appended otherwise.
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
        // Safe: as in an array, valid positions have an edit.
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

    /// Adds edits of unedited properties.
    package mutating func fill(with other: EditMap) {
        for (key, edit) in other where self[key] == nil { set(edit, for: key) }
    }
}

extension PropertyMap<StoredValue> {
    /// Defaults are for unedited properties.
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
