import Foundation
import JSONBytes

/// What was changed here and the server has not confirmed, by the property's name. It is kept as JSON in the row's `_unsent`
/// column, so it survives a restart.
struct UnsentChanges: Equatable {
    struct Entry: Equatable {
        /// The value that the server last said. Of a list, a digest of its members (``digest(of:)``), of a part of one the
        /// members (``members(_:)``), or null; of a link that waited for its target, what that is known by, as text.
        var base: StoredValue
        /// The edit that is stored: a reply confirms it when that very edit went out.
        var stamp = ChangeStamp.earliest
    }

    var entries: [String: Entry] = [:]

    var isEmpty: Bool { entries.isEmpty }

    init() {}

    /// Text that is not such JSON reads as no changes.
    init(text: String?) {
        guard var text else { return }
        entries =
            text.withUTF8 { bytes in
                // The bytes live as long as this closure, and what is read of them is copied.
                try? unsafe Self.entries(in: UnsafeRawBufferPointer(bytes))
            } ?? [:]
    }

    /// `nil` when there are none. The names are in order, so that the same changes are the same text.
    var text: String? { Self.text(of: entries.sorted { $0.key < $1.key }) }

    /// - Parameter entries: in the order of their names.
    static func text(of entries: [(key: String, value: Entry)]) -> String? {
        guard !entries.isEmpty else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(entries.count * 64)
        for (name, entry) in entries {
            bytes.append(bytes.isEmpty ? UInt8(ascii: "{") : UInt8(ascii: ","))
            JSONText.write(name, to: &bytes)
            bytes.append(UInt8(ascii: ":"))
            entry.write(to: &bytes)
        }
        bytes.append(UInt8(ascii: "}"))
        return String(decoding: bytes, as: UTF8.self)
    }

    func contains(_ name: String) -> Bool { entries[name] != nil }

    /// Without what was edited later in another row of the same object.
    func later(than other: UnsentChanges) -> UnsentChanges {
        var later = self
        later.entries = entries.filter { name, entry in other.entries[name].map { $0.stamp <= entry.stamp } ?? true }
        return later
    }

    /// What stands for the members of a list, so that it is known again when it is set back: as short for ten thousand as for
    /// one.
    ///
    /// - Parameter waiting: what those are known by that wait for their rows, in any order.
    static func digest(of members: [RowID], waiting: some Collection<String> = []) -> StoredValue {
        // FNV-1a, by whole numbers.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        func add(_ value: UInt64) { hash = (hash ^ value) &* 0x0000_0100_0000_01b3 }
        for member in members { add(UInt64(bitPattern: member.rawValue)) }
        for key in waiting.sorted() {
            for byte in key.utf8 { add(UInt64(byte)) }
            add(UInt64.max)
        }
        return .text("\(members.count + waiting.count) \(hash)")
    }

    /// The members themselves, where an edit is a difference to a part of the list, by what they are known by: a member that
    /// was taken out may have no row any more.
    static func members(_ keys: [String], waiting: some Collection<String> = []) -> StoredValue {
        func list(_ keys: some Sequence<String>) -> String {
            "[" + keys.map { Data($0.utf8).base64EncodedString() }.joined(separator: ",") + "]"
        }
        return .text(waiting.isEmpty ? list(keys) : list(keys) + list(waiting.sorted()))
    }

    /// The same, those that waited included; nil for anything else.
    static func members(in base: StoredValue) -> Set<String>? {
        guard case .text(let text) = base, text.hasPrefix("[") else { return nil }
        let keys = text.split { "[],".contains($0) }
        return Set(keys.compactMap { Data(base64Encoded: String($0)).map { String(decoding: $0, as: UTF8.self) } })
    }
}

// MARK: JSON

// {"title":{"edit":"123","text":"Before"}}: the value under the name of its storage class, with numbers as text, so that no
// digit is lost and 1 is not 1.0.

extension UnsentChanges {
    private static func entries(in text: UnsafeRawBufferPointer) throws(JSONError) -> [String: Entry] {
        var reader = try unsafe JSONReader(unsafe: text)
        var entries: [String: Entry] = [:]
        if try reader.enterObject() {
            repeat {
                let name = reader.string(try reader.readKey())
                entries[name] = try Entry(&reader)
            } while try reader.continueObject()
        }
        try reader.finish()
        return entries
    }
}

extension UnsentChanges.Entry {
    fileprivate func write(to bytes: inout [UInt8]) {
        var separator = UInt8(ascii: "{")
        func write(_ key: StaticString, _ text: String) {
            bytes.append(separator)
            separator = UInt8(ascii: ",")
            bytes.append(UInt8(ascii: "\""))
            // A static string's bytes are there as long as the program is.
            unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount))
            bytes += [UInt8(ascii: "\""), UInt8(ascii: ":")]
            JSONText.write(text, to: &bytes)
        }
        if case .blob(let value) = base { write("blob", Data(value).base64EncodedString()) }
        if stamp != .earliest { write("edit", String(stamp.rawValue)) }
        switch base {
        case .null, .blob: break
        case .integer(let value): write("integer", String(value))
        case .real(let value): write("real", String(value))
        case .text(let value): write("text", value)
        }
        if separator == UInt8(ascii: "{") { bytes.append(separator) }
        bytes.append(UInt8(ascii: "}"))
    }

    /// Reads the next value; what is not an object of texts says nothing.
    fileprivate init(_ reader: inout JSONReader) throws(JSONError) {
        self.init(base: .null)
        guard try reader.peekKind() == .object else {
            _ = try reader.skipValue()
            return
        }
        guard try reader.enterObject() else { return }
        var isRead = true
        repeat {
            let key = reader.string(try reader.readKey())
            guard try reader.peekKind() == .string else {
                _ = try reader.skipValue()
                isRead = false
                continue
            }
            take(reader.string(try reader.readScalar()), as: key)
        } while try reader.continueObject()
        if !isRead { self = Self(base: .null) }
    }

    private mutating func take(_ text: String, as key: String) {
        switch key {
        case "edit": stamp = Int64(text).map(ChangeStamp.init) ?? .earliest
        case "integer": base = Int64(text).map(StoredValue.integer) ?? base
        case "real": base = Double(text).map(StoredValue.real) ?? base
        case "text": base = .text(text)
        case "blob": base = Data(base64Encoded: text).map { .blob(Array($0)) } ?? base
        default: break
        }
    }
}
