/// The names that a reader of objects knows, which finds the index of the name that a key in a document is.
///
/// Made once, then read by any thread. A look-up is one hash of the key's length, first and last bytes, and one
/// comparison.
@safe package final class JSONNameTable: Sendable {
    @unsafe private struct Entry {
        /// The name's UTF-8.
        var plain: UnsafeRawBufferPointer
        /// The name as compact JSON writes it.
        var quoted: JSONName
    }

    // The three buffers are allocated and written in `init`, only read afterwards (so by all threads at once), and
    // freed in `deinit`. Entries point into `storage`.
    private nonisolated(unsafe) let storage: UnsafeMutableRawBufferPointer
    private nonisolated(unsafe) let entries: UnsafeMutableBufferPointer<Entry>
    /// Indices into `entries` by hash, -1 for none; a power of two, at most half full, probed linearly.
    private nonisolated(unsafe) let buckets: UnsafeMutableBufferPointer<Int32>

    /// - Parameter names: the names in order, unescaped. Of two equal ones, the first is found.
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

    /// The name at `index` as a guess for `readKey(expecting:)`. Valid as long as the table is: the caller keeps it.
    @unsafe package func name(at index: Int) -> JSONName { unsafe entries[index].quoted }

    /// The index of the name that equals `key`, escapes resolved; nil for an unknown one.
    package func index(of key: JSONString, in reader: borrowing JSONReader) -> Int? {
        guard !key.hasEscapes else {
            var name = reader.string(key)
            return name.withUTF8 { unsafe index(of: UnsafeRawBufferPointer($0)) }
        }
        return unsafe index(of: reader.bytes(of: key))
    }

    /// The index of the name that has these bytes.
    package func index(of bytes: UnsafeRawBufferPointer) -> Int? {
        var bucket = unsafe hash(bytes)
        // Ends: at least half of the buckets hold -1.
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

    /// Copies `bytes` into the storage from offset `used` on, and moves it past them.
    @unsafe private func store(_ bytes: [UInt8], at used: inout Int) -> UnsafeRawBufferPointer {
        let copy = unsafe UnsafeMutableRawBufferPointer(rebasing: storage[used..<used + bytes.count])
        unsafe copy.copyBytes(from: bytes)
        used += bytes.count
        return UnsafeRawBufferPointer(copy)
    }

    /// A bucket by length, first and last bytes. The names are the schema's, so no document can overfill a bucket.
    @inline(__always) private func hash(_ bytes: UnsafeRawBufferPointer) -> Int {
        let (first, last) = unsafe bytes.edges
        return unsafe Int(truncatingIfNeeded: mix(first ^ mix(last ^ UInt64(bytes.count)))) & (buckets.count &- 1)
    }

    /// `"name":` with the escapes that JSON requires.
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
