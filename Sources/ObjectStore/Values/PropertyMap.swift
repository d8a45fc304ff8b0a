/// Properties with values, in order.
///
/// An array, since an object has edits of a few properties, or of all in about the order of declaration. Most lookups
/// are for other properties, which the mask answers alone.
package struct PropertyMap<Value> {
    package typealias Element = (key: PropertyIndex, value: Value)

    private var elements: [Element] = []
    /// Properties 64 apart share a bit.
    private(set) var mask: UInt64 = 0

    @inline(__always)
    package init() {}

    @inline(__always)
    package var isEmpty: Bool { mask == 0 }

    /// True for properties with a value, perhaps for others.
    @inline(__always)
    package func mayContain(_ key: PropertyIndex) -> Bool { mask & Self.bit(key) != 0 }

    package func has(_ key: PropertyIndex) -> Bool {
        guard mayContain(key), case let index = index(for: key), index < elements.count else { return false }
        return elements[index].key == key
    }

    package subscript(key: PropertyIndex) -> Value? {
        @inline(__always)
        get { mayContain(key) ? value(of: key) : nil }
        set {
            if let newValue { set(newValue, for: key) } else { removeValue(forKey: key) }
        }
        _modify {
            var value = removeValue(forKey: key)
            // Also if the access throws.
            defer { if let value { set(value, for: key) } }
            yield &value
        }
    }

    package mutating func reserveCapacity(_ count: Int) { elements.reserveCapacity(count) }

    @discardableResult
    package mutating func removeValue(forKey key: PropertyIndex) -> Value? {
        guard mayContain(key) else { return nil }
        let index = index(for: key)
        guard index < elements.count, elements[index].key == key else { return nil }
        let value = elements.remove(at: index).value
        mask = elements.reduce(0) { $0 | Self.bit($1.key) }
        return value
    }

    private mutating func set(_ value: Value, for key: PropertyIndex) {
        let index = index(for: key)
        if index == elements.count {
            elements.append((key, value))
            mask |= Self.bit(key)
        } else if elements[index].key == key {
            elements[index].value = value
        } else {
            elements.insert((key, value), at: index)
            mask |= Self.bit(key)
        }
    }

    private func value(of key: PropertyIndex) -> Value? {
        let index = index(for: key)
        return index < elements.count && elements[index].key == key ? elements[index].value : nil
    }

    /// The property's index, or the index to insert at. Most properties are set in order.
    private func index(for key: PropertyIndex) -> Int {
        var index = elements.count
        while index > 0, elements[index - 1].key >= key { index -= 1 }
        return index
    }

    @inline(__always)
    private static func bit(_ key: PropertyIndex) -> UInt64 { 1 &<< UInt64(truncatingIfNeeded: key.rawValue) }
}

// MARK: - As a dictionary

extension PropertyMap: RandomAccessCollection {
    package var startIndex: Int { 0 }
    package var endIndex: Int { elements.count }
    package subscript(position: Int) -> Element { elements[position] }
}

extension PropertyMap: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (PropertyIndex, Value)...) {
        for (key, value) in elements { set(value, for: key) }
    }
}

extension PropertyMap: Sendable where Value: Sendable {}

extension PropertyMap {
    package init(uniqueKeysWithValues values: some Sequence<(PropertyIndex, Value)>) {
        for (key, value) in values { set(value, for: key) }
    }

    package var keys: [PropertyIndex] { elements.map(\.key) }
    package var values: [Value] { elements.map(\.value) }

    package func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> PropertyMap {
        var map = PropertyMap()
        map.elements = try elements.filter(isIncluded)
        map.mask = map.elements.reduce(0) { $0 | Self.bit($1.key) }
        return map
    }

    package func mapValues<Other>(_ transform: (Value) throws -> Other) rethrows -> PropertyMap<Other> {
        try mapEntries { try transform($1) }
    }

    package func mapEntries<Other>(
        _ transform: (PropertyIndex, Value) throws -> Other
    ) rethrows -> PropertyMap<Other> {
        var map = PropertyMap<Other>()
        map.elements = try elements.map { ($0.key, try transform($0.key, $0.value)) }
        map.mask = mask
        return map
    }

    package func compactMapValues<Other>(_ transform: (Value) throws -> Other?) rethrows -> PropertyMap<Other> {
        var map = PropertyMap<Other>()
        for (key, value) in elements {
            if let value = try transform(value) { map.set(value, for: key) }
        }
        return map
    }

    package mutating func merge(
        _ other: PropertyMap, uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows {
        var merged: [Element] = []
        merged.reserveCapacity(elements.count + other.elements.count)
        var rest = other.elements[...]
        for element in elements {
            while let next = rest.first, next.key < element.key { merged.append(rest.removeFirst()) }
            if let next = rest.first, next.key == element.key {
                merged.append((element.key, try combine(element.value, rest.removeFirst().value)))
            } else {
                merged.append(element)
            }
        }
        elements = merged + rest
        mask |= other.mask
    }

    package func merging(
        _ other: PropertyMap, uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows -> PropertyMap {
        var merged = self
        try merged.merge(other, uniquingKeysWith: combine)
        return merged
    }
}
