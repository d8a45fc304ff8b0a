import Foundation

/// What was changed here and the server has not confirmed, by the property's name. It is kept as JSON in the row's `_unsent`
/// column, so it survives a restart.
struct UnsentChanges: Equatable {
    struct Entry: Equatable {
        /// The value that the server last said; of a list, a digest of its members (``digest(of:)``), of a part of one
        /// the members (``members(_:)``), or null; of a link that
        /// waited for its target, what that is known by, as text.
        var base: StoredValue
        /// The edit that is stored: a reply confirms it when that very edit went out.
        var stamp = ChangeStamp.earliest
    }

    var entries: [String: Entry] = [:]

    var isEmpty: Bool { entries.isEmpty }

    init() {}

    /// Text that is not such JSON reads as no changes.
    init(text: String?) {
        guard let text, let object = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] else {
            return
        }
        for (name, value) in object { entries[name] = Entry(json: value as? [String: String] ?? [:]) }
    }

    /// `nil` when there are none.
    var text: String? {
        guard !entries.isEmpty else { return nil }
        let object = entries.mapValues(\.json)
        guard let data = try? JSONSerialization.data(withJSONObject: object, options: [.sortedKeys]) else { return nil }
        return String(decoding: data, as: UTF8.self)
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

    /// The members themselves, where an edit is a difference to a part of the list.
    static func members(_ members: [RowID], waiting: some Collection<String> = []) -> StoredValue {
        let rows = "[" + members.map { String($0.rawValue) }.joined(separator: ",") + "]"
        guard !waiting.isEmpty, case .text(let others) = digest(of: [], waiting: waiting) else { return .text(rows) }
        return .text(rows + " " + others)
    }

    /// nil for anything else.
    static func members(in base: StoredValue) -> [RowID]? {
        guard case .text(let text) = base, text.hasPrefix("["), let end = text.firstIndex(of: "]") else { return nil }
        return text[..<end].dropFirst().split(separator: ",").compactMap { Int64($0).map { RowID($0) } }
    }
}

extension UnsentChanges.Entry {
    // The value under the name of its storage class, with numbers as text: no digit is lost and 1 is not 1.0.
    fileprivate var json: [String: String] {
        var json: [String: String] = stamp == .earliest ? [:] : ["edit": String(stamp.rawValue)]
        switch base {
        case .null: break
        case .integer(let value): json["integer"] = String(value)
        case .real(let value): json["real"] = String(value)
        case .text(let value): json["text"] = value
        case .blob(let value): json["blob"] = Data(value).base64EncodedString()
        }
        return json
    }

    fileprivate init(json: [String: String]) {
        base = json.compactMap(Self.storedValue).first ?? .null
        stamp = json["edit"].flatMap { Int64($0) }.map(ChangeStamp.init) ?? .earliest
    }

    private static func storedValue(_ kind: String, _ text: String) -> StoredValue? {
        switch kind {
        case "integer": Int64(text).map(StoredValue.integer)
        case "real": Double(text).map(StoredValue.real)
        case "text": .text(text)
        case "blob": Data(base64Encoded: text).map { .blob(Array($0)) }
        default: nil
        }
    }
}
