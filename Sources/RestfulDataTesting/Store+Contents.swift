import Foundation
public import RestfulData

extension Store {
    /// Returns all objects of the store as text, for comparison with an earlier or an expected state:
    ///
    /// ```
    /// User 583231
    ///   identifier = 583231
    ///   login = "octocat"
    ///   isAdmin = false
    ///   createdAt = 2011-01-25T18:44:36Z
    ///   repositories → Repository 1296269, Repository 1300192
    /// ```
    ///
    /// Dates are in UTC, lists and JSON are JSON, and bytes are their number and a hash. Objects are sorted by
    /// identity, new ones last. Pending edits are marked (`title = "new" (unsent)`). Empty properties, and unsaved
    /// edits of contexts, are left out.
    ///
    /// The same objects always give the same text. This reads the whole store, in a background context.
    ///
    /// - Throws: ``StoreError`` if reading the file fails.
    public func contents() async throws -> String {
        try await background { context in
            try context.schema.roots.map { try context.contents(of: $0.type) }.joined()
        }
    }

    /// Returns the differences to another store as text; nil if there are none.
    ///
    /// `-` marks lines of the other store, and `+` those of this one:
    ///
    /// ```
    ///   Issue 1
    /// -   title = "Crash"
    /// +   title = "Crash on launch" (unsent)
    /// ```
    ///
    /// - Throws: ``StoreError`` if reading a file fails.
    public func difference(from other: Store) async throws -> String? {
        ContentsDifference(from: try await other.contents(), to: try await contents()).text
    }

    /// Returns the differences to an earlier text of ``contents()``; nil if there are none.
    public func difference(from contents: String) async throws -> String? {
        ContentsDifference(from: contents, to: try await self.contents()).text
    }
}

struct ContentsDifference {
    private struct Object: Hashable {
        let name: String
        var lines: [String] = []
    }

    /// The lines of all differences; nil for equal texts.
    let text: String?

    init(from old: String, to new: String) {
        let (before, after) = (Self.objects(in: old), Self.objects(in: new))
        let (removed, inserted) = (Self.missing(before, in: after), Self.missing(after, in: before))
        var known: Set<String> = []
        let names = (before + after).map(\.name).filter { known.insert($0).inserted }
        let blocks = names.compactMap { name -> String? in
            let (old, new) = (removed[name] ?? [], inserted[name] ?? [])
            return old.isEmpty && new.isEmpty ? nil : Self.block(name, from: old, to: new)
        }
        text = blocks.isEmpty ? nil : blocks.joined()
    }

    /// The objects that others lack, by name. New objects can be equal, so they are counted.
    private static func missing(_ objects: [Object], in others: [Object]) -> [String: [Object]] {
        var counts: [Object: Int] = [:]
        for object in others { counts[object, default: 0] += 1 }
        var missing: [String: [Object]] = [:]
        for object in objects {
            if let count = counts[object], count > 0 {
                counts[object] = count - 1
            } else {
                missing[object.name, default: []].append(object)
            }
        }
        return missing
    }

    private static func objects(in text: String) -> [Object] {
        var objects: [Object] = []
        for line in text.split(separator: "\n").map(String.init) {
            if line.hasPrefix("  "), !objects.isEmpty {
                objects[objects.count - 1].lines.append(line)
            } else {
                objects.append(Object(name: line))
            }
        }
        return objects
    }

    private static func block(_ name: String, from old: [Object], to new: [Object]) -> String {
        guard old.count == 1, new.count == 1 else {
            let lines =
                old.flatMap { ["- \(name)"] + $0.lines.map { "- \($0)" } }
                + new.flatMap { ["+ \(name)"] + $0.lines.map { "+ \($0)" } }
            return lines.map { $0 + "\n" }.joined()
        }
        let (before, after) = (old[0].lines, new[0].lines)
        let lines =
            before.filter { !after.contains($0) }.map { "- \($0)" }
            + after.filter { !before.contains($0) }.map { "+ \($0)" }
        return (["  \(name)"] + lines).map { $0 + "\n" }.joined()
    }
}

extension ObjectContext {
    fileprivate func contents<M: Model>(of type: M.Type) throws(StoreError) -> String {
        let objects = try query(type).fetch().map { $0._object }
        let named = objects.filter { $0.hasIdentity }.map { (name: $0.name, object: $0) }.sorted { left, right in
            switch left.name.compare(right.name, options: .numeric) {
            case .orderedAscending: true
            case .orderedDescending: false
            // "1" and "01" are different identities.
            case .orderedSame: left.name < right.name
            }
        }
        return named.map { $0.object.contents }.joined()
            + objects.filter { !$0.hasIdentity }.map { $0.contents }.sorted().joined()
    }
}

extension ObjectState {
    fileprivate var contents: String {
        let unsent = Set(unsentProperties.map(\.index))
        let lines = model.declared.compactMap { property -> String? in
            let value = text(of: property)
            guard value != nil || unsent.contains(property.index) else { return nil }
            let mark = unsent.contains(property.index) ? " (unsent)" : ""
            return "  \(property.name) \(value ?? "= nil")\(mark)\n"
        }
        return "\(name)\n" + lines.joined()
    }

    /// `Issue 1`, or `Issue (new)` before it has an identity.
    fileprivate var name: String {
        let identity = model.identity.map { index in
            let property = model[index]
            return linkedObject(property)?._object.name ?? storedValue(property).text(as: nil)
        }
        return "\(model.modelName) " + (hasIdentity ? identity.joined(separator: "/") : "(new)")
    }

    private func text(of property: Property) -> String? {
        switch property.kind {
        case .attribute(let kind, _, _):
            storedValue(property).isNull ? nil : "= " + storedValue(property).text(as: kind)
        case .toOne: linkedObject(property).map { "→ " + $0._object.name }
        case .toMany:
            listedObjects(property).isEmpty
                ? nil : "→ " + listedObjects(property).map { $0._object.name }.joined(separator: ", ")
        }
    }
}

extension StoredValue {
    /// Formats the value for people.
    ///
    /// - Parameter kind: The kind of the attribute; nil for the stored form.
    fileprivate func text(as kind: AttributeKind?) -> String {
        switch (self, kind) {
        case (.null, _): "nil"
        case (.integer(let value), .boolean): value == 0 ? "false" : "true"
        case (.integer(let value), .unsigned): "\(UInt64(bitPattern: value))"
        case (.integer(let value), _): "\(value)"
        case (.real(let value), .date): Self.date(value)
        case (.real(let value), _): "\(value)"
        // Equal JSON has equal text, for any whitespace of the server.
        case (.text(let text), .json), (.text(let text), .list), (.text(let text), .set),
            (.text(let text), .dictionary):
            JSONValue(Array(text.utf8)).flatMap(\.text) ?? text
        case (.text(let text), .uuid), (.text(let text), .decimal), (.text(let text), .wideInteger): text
        case (.text(let text), .url): "<\(text)>"
        case (.text(let text), _): text.debugDescription
        case (.blob(let bytes), _): "\(bytes.count) bytes (\(bytes.fingerprint))"
        }
    }

    /// `2011-01-25T18:44:36Z`. A fraction other than zero has three or six digits.
    private static func date(_ seconds: Double) -> String {
        let microseconds = (seconds * 1e6).rounded()
        let whole = (microseconds / 1e6).rounded(.down)
        let text = Date(timeIntervalSince1970: whole).formatted(Date.ISO8601FormatStyle())
        let fraction = microseconds - whole * 1e6
        guard fraction >= 1, fraction < 1e6 else { return text }
        let digits = String(String(Int(fraction) + 1_000_000).dropFirst())
        return "\(text.dropLast()).\(digits.hasSuffix("000") ? String(digits.prefix(3)) : digits)Z"
    }
}
