import Foundation
import JSONBytes

/// The pending edits of a row by the property's name, stored as JSON in the row's `_unsent` column.
struct UnsentChanges: Equatable {
    struct Entry: Equatable {
        /// The last known server value, or null if it is unknown.
        ///
        /// | property | base |
        /// |---|---|
        /// | attribute | the value |
        /// | link | the target's row; the target's identity as text if it had no row |
        /// | list | a digest of the order (``digest(of:)``) |
        /// | list of embedded objects | their keys (``members(_:)``) |
        var base: StoredValue
        /// The base at the time of the edit, if the server has reported another since.
        var origin: StoredValue?
        /// A reply acknowledges the edit if its request carried this stamp.
        var stamp = ChangeStamp.earliest
        /// For lists with one fact per member (``PairEdit``, or links): edits of the whole list.
        var list: ListChanges?
    }

    struct ListChanges: Equatable {
        var isOrdered = false
        /// Whether the list was assigned before it was ever fetched. The edit then replaces all of the server's
        /// members.
        var isAll = false
        /// Removed members without a row (``Writer/pendingKey(of:)``).
        var dismissed: Set<String> = []
    }

    var entries: [String: Entry] = [:]

    var isEmpty: Bool { entries.isEmpty }

    init() {}

    /// A malformed text has no edits.
    init(text: String?) {
        guard var text else { return }
        entries =
            text.withUTF8 { bytes in
                // Valid during this closure. `entries(in:)` copies all values.
                try? unsafe Self.entries(in: UnsafeRawBufferPointer(bytes))
            } ?? [:]
        entries[Self.sendMark] = nil
    }

    /// A key in files of format 10 or older: a request with the row had an unknown outcome.
    static let sendMark = "?"

    /// `nil` without edits. Entries are sorted, so equal edits have equal texts.
    var text: String? { Self.text(of: entries.map { ($0.key, $0.value) }) }

    static func text(of entries: [(name: String, entry: Entry)]) -> String? {
        guard !entries.isEmpty else { return nil }
        var bytes = Array("{".utf8)
        bytes.reserveCapacity(entries.count * 24)
        let (new, others) = parted(entries)
        if !new.isEmpty {
            bytes += Array("\"\":".utf8)
            JSONText.write(NewEntries.text(of: new), to: &bytes)
        }
        for (name, entry) in others {
            if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
            JSONText.write(name, to: &bytes)
            bytes.append(UInt8(ascii: ":"))
            entry.write(to: &bytes)
        }
        bytes.append(UInt8(ascii: "}"))
        return String(decoding: bytes, as: UTF8.self)
    }

    /// For entries without a base, in any order. `nil` for fewer than two, or if ``NewEntries`` can't hold one.
    static func text(ofNew entries: [(name: String, stamp: ChangeStamp)]) -> String? {
        guard entries.count > 1, entries.allSatisfy({ $0.stamp > .earliest && NewEntries.canHold($0.name) }) else {
            return nil
        }
        var bytes = Array("{\"\":".utf8)
        bytes.reserveCapacity(entries.count * 16 + 24)
        JSONText.write(NewEntries.text(of: inOrder(entries)), to: &bytes)
        bytes.append(UInt8(ascii: "}"))
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func inOrder(
        _ entries: [(name: String, stamp: ChangeStamp)]
    ) -> [(name: String, stamp: ChangeStamp)] {
        for index in entries.indices.dropFirst()
        where (entries[index - 1].stamp, entries[index - 1].name) >= (entries[index].stamp, entries[index].name) {
            return entries.sorted { ($0.stamp, $0.name) < ($1.stamp, $1.name) }
        }
        return entries
    }

    /// The entries for ``NewEntries`` by stamp, and the others by name.
    private static func parted(
        _ entries: [(name: String, entry: Entry)]
    ) -> (new: [(name: String, stamp: ChangeStamp)], others: [(name: String, entry: Entry)]) {
        var new: [(name: String, stamp: ChangeStamp)] = []
        var others: [(name: String, entry: Entry)] = []
        new.reserveCapacity(entries.count)
        for (name, entry) in entries {
            if entry.base.isNull, entry.origin == nil, entry.list == nil, entry.stamp > .earliest,
                NewEntries.canHold(name)
            {
                new.append((name, entry.stamp))
            } else {
                others.append((name, entry))
            }
        }
        // A single one would be as long.
        if new.count == 1 { (new, others) = ([], entries) }
        return (inOrder(new), others.sorted { $0.name < $1.name })
    }

    func contains(_ name: String) -> Bool { entries[name] != nil }

    /// Finds rows with an edit of this property and a known base, and few others.
    static func sqlMention(of name: String) -> String {
        var key: [UInt8] = []
        JSONText.write(name, to: &key)
        let text = String(decoding: key, as: UTF8.self).split(separator: "'", omittingEmptySubsequences: false)
        return "instr(_unsent, '\(text.joined(separator: "''")):')"
    }

    static func sqlMention(ofAny names: [String]) -> String {
        "(\((["0"] + names.map(sqlMention(of:))).joined(separator: " OR ")))"
    }

    /// A text in `_unsent` if the base of some link is `row`, and rarely otherwise. Empty for `nil`, which matches all
    /// rows.
    static func mention(of row: RowID?) -> String { row.map { "\"integer\":\"\($0.rawValue)\"" } ?? "" }

    /// The edits except those that `other` has made later, to unify two rows.
    func later(than other: UnsentChanges) -> UnsentChanges {
        var later = self
        later.entries = entries.filter { name, entry in other.entries[name].map { $0.stamp <= entry.stamp } ?? true }
        return later
    }

    /// A short text that identifies members in their order.
    static func digest(of members: [RowID]) -> StoredValue {
        // FNV-1a over 64-bit words.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        func add(_ value: UInt64) { hash = (hash ^ value) &* 0x0000_0100_0000_01b3 }
        for member in members { add(UInt64(bitPattern: member.rawValue)) }
        return .text("\(members.count) \(hash)")
    }

    /// Keys identify members even after their rows are deleted.
    static func members(_ keys: [String]) -> StoredValue {
        .text("[" + keys.map { Data($0.utf8).base64EncodedString() }.joined(separator: ",") + "]")
    }

    /// `nil` for other texts than ``members(_:)`` returns.
    static func members(in base: StoredValue) -> Set<String>? { keys(in: base).map(Set.init) }

    /// The keys in their order. `nil` for other texts.
    static func keys(in base: StoredValue) -> [String]? {
        guard case .text(let text) = base, text.hasPrefix("[") else { return nil }
        let keys = text.split { "[],".contains($0) }
        return keys.compactMap { Data(base64Encoded: String($0)).map { String(decoding: $0, as: UTF8.self) } }
    }

    /// Recognizes the values of a deleted row.
    static func digest(ofValues values: [StoredValue]) -> String {
        // FNV-1a.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        func add(_ bytes: some Sequence<UInt8>) {
            for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        }
        for value in values {
            switch value {
            case .null: add("n".utf8)
            case .integer(let number): add("i\(number)".utf8)
            case .real(let number): add("r\(number)".utf8)
            case .text(let text): add("t\(text)".utf8)
            case .blob(let bytes): add("b".utf8 + bytes)
            }
            add(CollectionOfOne(0xff))
        }
        return String(hash, radix: 36)
    }
}

// MARK: JSON

// Format: {"title":{"edit":"123","text":"Before"}}. The key of a base is its storage class. Numbers are texts, so that
// all digits survive and 1 differs from 1.0. Edits without a base share one text under the empty name (`NewEntries`).

extension UnsentChanges {
    private static func entries(in text: UnsafeRawBufferPointer) throws(JSONError) -> [String: Entry] {
        var reader = try unsafe JSONReader(unsafe: text)
        var entries: [String: Entry] = [:]
        if try reader.enterObject() {
            repeat {
                let name = reader.string(try reader.readKey())
                if name.isEmpty, try reader.peekKind() == .string {
                    for (name, stamp) in NewEntries.entries(in: reader.string(try reader.readScalar())) {
                        entries[name] = Entry(base: .null, stamp: stamp)
                    }
                } else {
                    entries[name] = try Entry(&reader)
                }
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
            // Lives as long as the program.
            unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount))
            bytes += [UInt8(ascii: "\""), UInt8(ascii: ":")]
            JSONText.write(text, to: &bytes)
        }
        if case .blob(let value) = base { write("blob", Data(value).base64EncodedString()) }
        if let list, case .text(let text) = UnsentChanges.members(list.dismissed.sorted()) { write("dismissed", text) }
        if stamp != .earliest { write("edit", String(stamp.rawValue)) }
        if let list, list.isOrdered { write("ordered", "") }
        if let list, list.isAll { write("all", "") }
        if let origin, case let text = Self.text(ofOrigin: origin) { write("origin", text) }
        switch base {
        case .null, .blob: break
        case .integer(let value): write("integer", String(value))
        case .real(let value): write("real", String(value))
        case .text(let value): write("text", value)
        }
        if separator == UInt8(ascii: "{") { bytes.append(separator) }
        bytes.append(UInt8(ascii: "}"))
    }

    /// Prefixed with the initial of the storage class.
    private static func text(ofOrigin value: StoredValue) -> String {
        switch value {
        case .null: "n"
        case .integer(let value): "i\(value)"
        case .real(let value): "r\(value)"
        case .text(let value): "t\(value)"
        case .blob(let bytes): "b" + Data(bytes).base64EncodedString()
        }
    }

    private static func origin(in text: String) -> StoredValue? {
        let rest = String(text.dropFirst())
        return switch text.first {
        case "n": .null
        case "i": Int64(rest).map(StoredValue.integer)
        case "r": Double(rest).map(StoredValue.real)
        case "t": .text(rest)
        case "b": Data(base64Encoded: rest).map { .blob(Array($0)) }
        default: nil
        }
    }

    enum Source {
        /// The reply to a change, or a resolved conflict.
        case decided
        /// A reply that may contain the effect of a request with an unknown outcome.
        case unclear
        /// If the value is new, another client has set it.
        case others
    }

    /// If another client changes the base, ``origin`` keeps that of the edit.
    mutating func rebase(onto value: StoredValue, from source: Source) {
        switch source {
        case .decided: origin = nil
        case .unclear: break
        case .others:
            if origin == nil, !base.isNull, base != value {
                origin = base
            } else if origin == value {
                origin = nil
            }
        }
        base = value
    }

    /// Without a base if the value isn't an object of texts.
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

    private mutating func edit(_ change: (inout UnsentChanges.ListChanges) -> Void) {
        var edit = list ?? UnsentChanges.ListChanges()
        change(&edit)
        list = edit
    }

    private mutating func take(_ text: String, as key: String) {
        switch key {
        case "edit": stamp = Int64(text).map(ChangeStamp.seen) ?? .earliest
        case "integer": base = Int64(text).map(StoredValue.integer) ?? base
        case "real": base = Double(text).map(StoredValue.real) ?? base
        case "text": base = .text(text)
        case "origin": origin = Self.origin(in: text)
        case "all": edit { $0.isAll = true }
        case "dismissed": edit { $0.dismissed = UnsentChanges.members(in: .text(text)) ?? [] }
        case "ordered": edit { $0.isOrdered = true }
        case "blob": base = Data(base64Encoded: text).map { .blob(Array($0)) } ?? base
        default: break
        }
    }
}

/// Writes entries without a base as one short text. A new object has one for each property, and SQLite reads past this
/// column in each scan.
///
///     1k2x`title``body``rating`5
///
/// The first stamp in base 36, then each name between backticks, sorted by stamp. A number after a name is the
/// difference to the previous stamp in base 36, unless it is 1. Swift identifiers can't contain backticks.
private enum NewEntries {
    private static let mark = UInt8(ascii: "`")

    static func canHold(_ name: String) -> Bool { !name.isEmpty && !name.utf8.contains(mark) }

    /// - Parameter entries: at least one, sorted by their stamps.
    static func text(of entries: [(name: String, stamp: ChangeStamp)]) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(entries.count * 12 + 16)
        var last = entries.first.map { $0.stamp.rawValue - 1 } ?? 0
        write(last + 1, to: &bytes)
        for (name, stamp) in entries {
            bytes.append(mark)
            bytes += name.utf8
            bytes.append(mark)
            if stamp.rawValue != last + 1 { write(stamp.rawValue - last, to: &bytes) }
            last = stamp.rawValue
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// - Parameter number: 0 or greater.
    private static func write(_ number: Int64, to bytes: inout [UInt8]) {
        let start = bytes.count
        var rest = number
        repeat {
            let digit = UInt8(truncatingIfNeeded: rest % 36)
            bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
            rest /= 36
        } while rest > 0
        bytes[start...].reverse()
    }

    /// A malformed text has no entries.
    static func entries(in text: String) -> [(name: String, stamp: ChangeStamp)] {
        let parts = text.utf8.split(separator: mark, omittingEmptySubsequences: false).map { String(Substring($0)) }
        guard parts.count % 2 == 1, let first = Int64(parts[0], radix: 36) else { return [] }
        var entries: [(String, ChangeStamp)] = []
        var last = first &- 1
        for index in stride(from: 1, to: parts.count, by: 2) {
            guard let step = parts[index + 1].isEmpty ? 1 : Int64(parts[index + 1], radix: 36) else { return [] }
            last &+= step
            entries.append((parts[index], .seen(last)))
        }
        return entries
    }
}
