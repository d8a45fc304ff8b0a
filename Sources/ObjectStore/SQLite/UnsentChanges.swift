import Foundation
import JSONBytes

/// What was changed here and the server has not confirmed, by the property's name. It is kept as JSON in the row's
/// `_unsent` column, so it survives a restart.
struct UnsentChanges: Equatable {
    struct Entry: Equatable {
        /// The last known server value. Of a list it is a digest of the server's order (``digest(of:)``), of a list of
        /// embedded objects their keys (``members(_:)``). Of a link whose target had no row, it is the target's key.
        /// Null: unknown.
        var base: StoredValue
        /// The base that the edit was made on, if the server has shown another value since; nil if it hasn't.
        var origin: StoredValue?
        /// The edit that is stored: a reply confirms it when that very edit went out.
        var stamp = ChangeStamp.earliest
        /// Of a list whose members are facts of their own, as pairs (``PairEdit``) or links: what else was edited of
        /// it.
        var list: ListChanges?
    }

    /// What was edited of a list, besides its members.
    struct ListChanges: Equatable {
        /// Whether its order was.
        var isOrdered = false
        /// Whether the edit is all of it, whatever the server has, as it was assigned and nobody had said what it is.
        var isAll = false
        /// The members that wait for their rows and were taken out, by their keys (``Writer/pendingKey(of:)``).
        var dismissed: Set<String> = []
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
        entries[Self.sendMark] = nil
    }

    /// In a file of format 10 or older, stands where a property's name would if the row was sent and no reply came.
    static let sendMark = "?"

    /// `nil` when there are none. The names are in order, so that the same changes are the same text.
    var text: String? { Self.text(of: entries.map { ($0.key, $0.value) }) }

    /// - Parameter entries: in any order.
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

    /// The same of entries without a base, in any order; `nil` when they can't all be written together.
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

    /// Those that are written together, in the order of their edits, and the others in the order of their names.
    private static func parted(
        _ entries: [(name: String, entry: Entry)]
    ) -> (new: [(name: String, stamp: ChangeStamp)], others: [(name: String, entry: Entry)]) {
        var new: [(name: String, stamp: ChangeStamp)] = []
        var others: [(name: String, entry: Entry)] = []
        new.reserveCapacity(entries.count)
        for (name, entry) in entries {
            if entry.base.isNull, entry.origin == nil, entry.list == nil, entry.stamp > .earliest, NewEntries.canHold(name) {
                new.append((name, entry.stamp))
            } else {
                others.append((name, entry))
            }
        }
        // One alone would be no shorter.
        if new.count == 1 { (new, others) = ([], entries) }
        return (inOrder(new), others.sorted { $0.name < $1.name })
    }

    func contains(_ name: String) -> Bool { entries[name] != nil }

    /// The SQL that is true of each row with an entry of that name that has a base, and of few others.
    static func sqlMention(of name: String) -> String {
        var key: [UInt8] = []
        JSONText.write(name, to: &key)
        let text = String(decoding: key, as: UTF8.self).split(separator: "'", omittingEmptySubsequences: false)
        return "instr(_unsent, '\(text.joined(separator: "''")):')"
    }

    /// The same for any of several names; of none it is never true.
    static func sqlMention(ofAny names: [String]) -> String {
        "(\((["0"] + names.map(sqlMention(of:))).joined(separator: " OR ")))"
    }

    /// What is in the text of all changes with a link that led to a row before, and of few others; nothing, which is in
    /// every text, where it is any row.
    static func mention(of row: RowID?) -> String { row.map { "\"integer\":\"\($0.rawValue)\"" } ?? "" }

    /// Without what was edited later in another row of the same object.
    func later(than other: UnsentChanges) -> UnsentChanges {
        var later = self
        later.entries = entries.filter { name, entry in other.entries[name].map { $0.stamp <= entry.stamp } ?? true }
        return later
    }

    /// Returns a text that identifies a list of members in its order. It has the same length for any number of members.
    static func digest(of members: [RowID]) -> StoredValue {
        // FNV-1a, by whole numbers.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        func add(_ value: UInt64) { hash = (hash ^ value) &* 0x0000_0100_0000_01b3 }
        for member in members { add(UInt64(bitPattern: member.rawValue)) }
        return .text("\(members.count) \(hash)")
    }

    /// Returns the text of a list of keys, by which members are known that may have no row any more.
    static func members(_ keys: [String]) -> StoredValue {
        .text("[" + keys.map { Data($0.utf8).base64EncodedString() }.joined(separator: ",") + "]")
    }

    /// Returns the keys in such a text as a set; nil for any other text.
    static func members(in base: StoredValue) -> Set<String>? { keys(in: base).map(Set.init) }

    /// Returns the keys in such a text in their order; nil for any other text.
    static func keys(in base: StoredValue) -> [String]? {
        guard case .text(let text) = base, text.hasPrefix("[") else { return nil }
        let keys = text.split { "[],".contains($0) }
        return keys.compactMap { Data(base64Encoded: String($0)).map { String(decoding: $0, as: UTF8.self) } }
    }

    /// What stands for the values of a row that is gone, so that they are known again.
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

// {"title":{"edit":"123","text":"Before"}}: the value under the name of its storage class, with numbers as text, so
// that no digit is lost and 1 is not 1.0. Those of which the server has said nothing, as of a new object, are one text
// under the empty name.

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
            // A static string's bytes are there as long as the program is.
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

    /// A value with the initial of its storage class.
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

    /// Where a value of the server's comes from.
    enum Source {
        /// The reply to a change of the object, or a conflict that is decided.
        case decided
        /// A request whose outcome may be in the value.
        case unclear
        /// Another client, if it is a new value.
        case others
    }

    /// Sets the base to a value of the server's, and keeps the one that the edit was made on.
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

/// The entries without a base, in one text: a new object has one for each property, and SQLite must step over them
/// wherever it looks through rows.
///
/// `1k2x`title``body``rating`5`: the first stamp to the base 36, then each name, in the order of the stamps, with how
/// much its stamp is greater than the one before; nothing where that is 1. No name has the mark between them, which
/// Swift lets none have.
private enum NewEntries {
    private static let mark = UInt8(ascii: "`")

    static func canHold(_ name: String) -> Bool { !name.isEmpty && !name.utf8.contains(mark) }

    /// - Parameter entries: some, in the order of their stamps.
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

    /// - Parameter number: not negative.
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

    /// Text that is nothing of this kind has none.
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
