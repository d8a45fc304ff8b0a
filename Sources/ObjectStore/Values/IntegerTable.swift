/// A hash table with integer keys, such as rows.
///
/// `Dictionary` hashes them by a keyed function, which takes longer than the rest of a lookup. Here they are multiplied
/// by a random number, so a server that chooses identities can't predict collisions. Reading is free of retains and
/// releases.
struct IntegerTable<Value: BitwiseCopyable> {
    fileprivate struct Slot: BitwiseCopyable {
        var key: Int64 = 0
        var value: Value?
    }

    /// Open addressing. At most two thirds of the slots are used.
    private var slots: [Slot] = []
    private var mask = 0
    private(set) var count = 0
    /// Reading the global takes a call.
    private let multiplier = integerTableMultiplier

    init(_ values: [(key: Int64, value: Value)] = []) {
        for (key, value) in values { set(value, for: key) }
    }

    @inline(__always)
    subscript(key: Int64) -> Value? {
        guard count > 0 else { return nil }
        var index = home(of: key)
        while let value = slots[index].value {
            if slots[index].key == key { return value }
            index = (index &+ 1) & mask
        }
        return nil
    }

    /// Returns the former value.
    @discardableResult
    mutating func set(_ value: Value, for key: Int64) -> Value? {
        if count * 3 >= slots.count * 2 { grow(to: count + 1) }
        var index = home(of: key)
        while let former = slots[index].value {
            if slots[index].key == key {
                slots[index].value = value
                return former
            }
            index = (index &+ 1) & mask
        }
        slots[index] = Slot(key: key, value: value)
        count += 1
        return nil
    }

    @discardableResult
    mutating func remove(_ key: Int64) -> Value? {
        guard count > 0 else { return nil }
        var hole = home(of: key)
        while slots[hole].key != key || slots[hole].value == nil {
            guard slots[hole].value != nil else { return nil }
            hole = (hole &+ 1) & mask
        }
        let former = slots[hole].value
        // Displaced keys move up into the hole, so that lookups find them.
        var next = (hole &+ 1) & mask
        while slots[next].value != nil {
            let way = (next &- home(of: slots[next].key)) & mask
            if way >= (next &- hole) & mask {
                slots[hole] = slots[next]
                hole = next
            }
            next = (next &+ 1) & mask
        }
        slots[hole] = Slot()
        count -= 1
        return former
    }

    /// Only a small table keeps its memory, because clearing writes to all of it.
    mutating func removeAll() {
        guard count > 0 else { return }
        if slots.count > 64 {
            (slots, mask) = ([], 0)
        } else {
            for index in slots.indices { slots[index] = Slot() }
        }
        count = 0
    }

    mutating func reserve(_ count: Int) {
        if count * 3 > slots.count * 2 { grow(to: count) }
    }

    var pairs: [(key: Int64, value: Value)] {
        slots.compactMap { slot in slot.value.map { (slot.key, $0) } }
    }

    private mutating func grow(to count: Int) {
        var capacity = max(16, slots.count)
        while capacity * 2 < count * 3 { capacity *= 2 }
        let former = slots
        slots = Array(repeating: Slot(), count: capacity)
        mask = capacity - 1
        self.count = 0
        for slot in former {
            if let value = slot.value { set(value, for: slot.key) }
        }
    }

    @inline(__always)
    private func home(of key: Int64) -> Int {
        // The first multiplication spreads consecutive keys.
        var hash = UInt64(bitPattern: key) &* 0x9E37_79B9_7F4A_7C15
        hash = (hash ^ hash &>> 32) &* multiplier
        return Int(truncatingIfNeeded: hash &>> 32) & mask
    }
}

/// Random, odd, with its highest bit set.
private let integerTableMultiplier = UInt64.random(in: 0...UInt64.max) | 0x8000_0000_0000_0001

extension IntegerTable: Sendable where Value: Sendable {}
extension IntegerTable.Slot: Sendable where Value: Sendable {}
