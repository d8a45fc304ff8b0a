/// The known names of an object's members, with their indexes.
///
/// Immutable, for any thread. A look-up costs a hash of the key's length, first and last bytes, and one comparison.
@safe package final class JSONNameTable: Sendable {
    @unsafe private struct Entry {
        var plain: UnsafeRawBufferPointer
        /// In compact JSON, with quotes and colon.
        var quoted: JSONName
    }

    // Safe: the three buffers are allocated and written in `init`, only read afterwards, by any thread, and freed in
    // `deinit`. Entries point into `storage`.
    private nonisolated(unsafe) let storage: UnsafeMutableRawBufferPointer
    private nonisolated(unsafe) let entries: UnsafeMutableBufferPointer<Entry>
    /// Indexes into `entries`; -1 for an empty bucket. The size is a power of two, at most half is full, and collisions
    /// probe linearly.
    private nonisolated(unsafe) let buckets: UnsafeMutableBufferPointer<Int32>

    /// - Parameter names: unescaped. Of two equal names, the first is found.
    package init(_ names: [String]) {
        let texts = names.map { (plain: Array($0.utf8), quoted: Self.quoted($0)) }
        let bytes = texts.reduce(0) { $0 + $1.plain.count + $1.quoted.count }
        unsafe storage = .allocate(byteCount: max(bytes, 1), alignment: 8)
        unsafe entries = .allocate(capacity: names.count)
        unsafe buckets = .allocate(capacity: Self.bucketCount(for: names.count))
        unsafe buckets.initialize(repeating: -1)
        var used = 0
        for (index, text) in texts.enumerated() {
            let plain = unsafe store(text.plain, at: &used)
            let quoted = unsafe JSONName(unsafe: store(text.quoted, at: &used))
            unsafe entries.initializeElement(at: index, to: Entry(plain: plain, quoted: quoted))
            var bucket = unsafe hash(plain)
            while unsafe buckets[bucket] >= 0 { bucket = unsafe (bucket + 1) & (buckets.count - 1) }
            unsafe buckets[bucket] = Int32(index)
        }
    }

    deinit {
        unsafe storage.deallocate()
        unsafe entries.deallocate()
        unsafe buckets.deallocate()
    }

    package var count: Int { unsafe entries.count }

    /// For `readKey(expecting:)`. The caller keeps the table while the name is used.
    @unsafe package func name(at index: Int) -> JSONName { unsafe entries[index].quoted }

    /// Compares the unescaped key. Nil for an unknown one.
    package func index(of key: JSONString, in reader: borrowing JSONReader) -> Int? {
        guard !key.hasEscapes else {
            var name = reader.string(key)
            return name.withUTF8 { unsafe index(of: UnsafeRawBufferPointer($0)) }
        }
        return unsafe index(of: reader.bytes(of: key))
    }

    /// Nil for unknown names.
    package func index(of bytes: UnsafeRawBufferPointer) -> Int? {
        var bucket = unsafe hash(bytes)
        // At least half of the buckets are -1.
        while true {
            let index = unsafe Int(buckets[bucket])
            if index < 0 { return nil }
            if unsafe equal(entries[index].plain, bytes) { return index }
            bucket = unsafe (bucket &+ 1) & (buckets.count &- 1)
        }
    }
}

extension JSONNameTable {
    private static func bucketCount(for names: Int) -> Int {
        var count = 2
        while count < names * 2 { count *= 2 }
        return count
    }

    /// At offset `used`, which advances.
    @unsafe private func store(_ bytes: [UInt8], at used: inout Int) -> UnsafeRawBufferPointer {
        let copy = unsafe UnsafeMutableRawBufferPointer(rebasing: storage[used..<used + bytes.count])
        unsafe copy.copyBytes(from: bytes)
        used += bytes.count
        return UnsafeRawBufferPointer(copy)
    }

    /// By length, first and last bytes. Names come from the schema, so documents can't make them collide.
    @inline(__always) private func hash(_ bytes: UnsafeRawBufferPointer) -> Int {
        let (first, last) = unsafe bytes.edges
        return unsafe Int(truncatingIfNeeded: mix(first ^ mix(last ^ UInt64(bytes.count)))) & (buckets.count &- 1)
    }

    /// With a colon, and the escapes that JSON requires.
    private static func quoted(_ name: String) -> [UInt8] {
        var bytes = [UInt8(ascii: "\"")]
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes += [UInt8(ascii: "\\"), byte]
            case ..<0x20:
                bytes += "\\u00".utf8
                bytes += [byte >> 4, byte & 0xF].map { $0 < 10 ? UInt8(ascii: "0") + $0 : UInt8(ascii: "a") + $0 - 10 }
            default:
                bytes.append(byte)
            }
        }
        return bytes + "\":".utf8
    }
}
