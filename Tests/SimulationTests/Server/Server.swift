import Foundation

/// A REST server in memory. It carries out a request when it is received, in the order of receipt. Its reply is read
/// independently of that.
struct Server {
    struct Row {
        var tag: Int?
        var fields: [Field: Int] = [:]
        /// By relation, the target's id.
        var links: [Relation: Int] = [:]
    }

    struct Key: Hashable {
        let kind: Kind
        let id: Int
    }

    struct Pair: Hashable {
        let item: Int
        let label: Int
    }

    struct Answer {
        var status: Int
        var body = ""
        /// Whether there is a further page.
        var leadsOn = false
    }

    /// A fact that was set, by a client's request or by another client.
    struct Write {
        let fact: Fact
        let value: Int?
        let isClients: Bool
        /// Whether it removes a label from an item with labels that it has sent to no client.
        var isBlind = false
    }

    private(set) var rows: [Key: Row] = [:]
    private(set) var pairs: Set<Pair> = []
    private(set) var writes: [Write] = []
    /// The name in a creation, and the returned one.
    private(set) var unified: [(Name, Name)] = []
    private var lastID = 0
    /// Whether objects name the members of their lists.
    var namesLists = false
    /// Whether items name their labels, and a list of those is whole.
    var namesLabels = true
    /// The items whose labels were sent whole to some client, or by it.
    private var listedItems: Set<Int> = []
    /// Creations with a reply that may be lost.
    private var unheard: Set<Key> = []
    /// Requests that no client should have sent.
    private(set) var complaints: [String] = []
}

// MARK: - Requests

extension Server {
    /// Carries out a request. A find-or-create answers with the existing object.
    mutating func answer(_ method: String, _ path: String, _ body: [UInt8]?, _ fate: Step.Fate) -> Answer {
        let parts = path.split(separator: "/").map(String.init)
        guard let kind = Kind.allCases.first(where: { $0.path == parts.first }) else { return complain("no \(path)") }
        guard parts.count > 1 else {
            return method == "GET" ? list(ids(of: kind), of: kind) : create(kind, body, fate)
        }
        guard let id = Int(parts[1]), rows[Key(kind: kind, id: id)] != nil else { return Answer(status: 404) }
        let key = Key(kind: kind, id: id)
        if parts.count > 2 {
            if method == "POST", parts[2] != "labels" || object(body)["label_ids"] == nil {
                return create(in: parts[2], of: key, body, fate)
            }
            if method != "GET" { change(method, parts[2], parts.count > 3 ? Int(parts[3]) : nil, in: key, body) }
            if method == "DELETE" || method == "POST" && fate != .whole { return Answer(status: 204) }
            return list(of: parts[2], in: key)
        }
        switch method {
        case "GET": break
        case "PATCH": apply(body, to: key)
        case "DELETE":
            remove(key)
            return Answer(status: 204)
        default: return complain("\(method) \(path)")
        }
        return reply(key, fate)
    }

    /// A member is created in a list.
    private mutating func create(in list: String, of key: Key, _ body: [UInt8]?, _ fate: Step.Fate) -> Answer {
        let fate = fate == .existing ? .whole : fate
        switch list {
        case "items": return create(.item, body, fate) { $0.link(.owner, $1, to: key.id, isClients: true) }
        case "parts": return create(.item, body, fate) { $0.link(.parent, $1, to: key.id, isClients: true) }
        case "labels":
            return create(.label, body, fate) { $0.set(Pair(item: key.id, label: $1), to: true, isClients: true) }
        default: return complain("POST \(list)")
        }
    }

    /// - Parameter join: puts the created object into its lists.
    private mutating func create(
        _ kind: Kind, _ body: [UInt8]?, _ fate: Step.Fate, joining join: (inout Server, Int) -> Void = { _, _ in }
    ) -> Answer {
        let tag = object(body)["tag"] as? Int
        if fate == .existing, let other = ids(of: kind).last(where: { rows[Key(kind: kind, id: $0)]?.tag != tag }) {
            if let tag, let name = name(kind, other) { unified.append((Name(kind: kind, tag: tag), name)) }
            return reply(Key(kind: kind, id: other), .whole)
        }
        // A creation whose reply was lost, sent again.
        let known = ids(of: kind).first { tag != nil && rows[Key(kind: kind, id: $0)]?.tag == tag }
        lastID += known == nil ? 1 : 0
        let key = Key(kind: kind, id: known ?? lastID)
        if known == nil {
            rows[key] = Row(tag: tag)
            if kind == .item { listedItems.insert(key.id) }
        } else if unheard.remove(key) == nil {
            complaints.append("\(kind) \(tag ?? 0) was created twice")
        }
        if fate == .lost { unheard.insert(key) }
        apply(body, to: key)
        join(&self, key.id)
        return reply(key, fate == .bare ? .partial : fate, status: known == nil ? 201 : 200)
    }

    private mutating func complain(_ text: String) -> Answer {
        complaints.append(text)
        return Answer(status: 400)
    }

    private mutating func reply(_ key: Key, _ fate: Step.Fate, status: Int = 200) -> Answer {
        switch fate {
        case .bare: Answer(status: 204)
        case .partial: Answer(status: status, body: text(["id": key.id, "tag": (rows[key]?.tag ?? NSNull()) as Any]))
        default: Answer(status: status, body: text(json(key)))
        }
    }

    private mutating func list(_ ids: [Int], of kind: Kind) -> Answer {
        Answer(status: 200, body: text(ids.map { json(Key(kind: kind, id: $0)) }))
    }

    private mutating func list(of name: String, in key: Key) -> Answer {
        switch name {
        case "items": list(members(.owner, of: key.id), of: .item)
        case "parts": list(members(.parent, of: key.id), of: .item)
        default: labels(of: key)
        }
    }

    /// Another client adds a member to a list, or removes it.
    private mutating func change(_ method: String, _ name: String, _ id: Int?, in key: Key, _ body: [UInt8]?) {
        switch (method, name, id) {
        case ("POST", "labels", nil):
            for label in object(body)["label_ids"] as? [Int] ?? [] {
                set(Pair(item: key.id, label: label), to: true, isClients: true)
            }
        case ("DELETE", "labels", let id?): set(Pair(item: key.id, label: id), to: false, isClients: true)
        case ("DELETE", "items", let id?): leave(.owner, id, key)
        case ("DELETE", "parts", let id?): leave(.parent, id, key)
        default: complaints.append("\(method) \(name) of \(key)")
        }
    }

    private mutating func leave(_ relation: Relation, _ id: Int, _ key: Key) {
        if members(relation, of: key.id).contains(id) { link(relation, id, to: nil, isClients: true) }
    }

    private mutating func labels(of item: Key) -> Answer {
        let ids = pairs.filter { $0.item == item.id }.map(\.label).sorted()
        var answer = list(namesLabels ? ids : Array(ids.prefix(1)), of: .label)
        answer.leadsOn = !namesLabels && ids.count > 1
        if !answer.leadsOn { listedItems.insert(item.id) }
        return answer
    }
}

// MARK: - JSON

extension Server {
    /// All objects of a model, as a client that asked now would get them.
    mutating func text(of kind: Kind) -> String { text(ids(of: kind).map { json(Key(kind: kind, id: $0)) }) }

    private mutating func json(_ key: Key) -> [String: Any] {
        guard let row = rows[key] else { return [:] }
        var json: [String: Any] = ["id": key.id, "tag": row.tag ?? NSNull()]
        json["a"] = row.fields[.a] ?? NSNull()
        let b: Any = row.fields[.b] ?? NSNull()
        switch key.kind {
        case .owner: json["marks"] = [["key": "b", "b": b]]
        case .item: json["extra"] = row.fields[.b].map { ["b": $0] } ?? NSNull()
        case .label, .badge: json["b"] = b
        }
        for relation in Relation.allCases where relation.isLink {
            if relation.member == key.kind {
                json[relation == .parent ? "parent_id" : "owner_id"] = row.links[relation] ?? NSNull()
            }
        }
        // Many to many has no link that could be named instead.
        if key.kind == .item, namesLabels {
            json["label_ids"] = pairs.filter { $0.item == key.id }.map(\.label).sorted()
            listedItems.insert(key.id)
        }
        guard namesLists else { return json }
        switch key.kind {
        case .owner:
            json["item_ids"] = members(.owner, of: key.id)
            json["badge_id"] = members(.badge, of: key.id).first ?? NSNull()
        case .item: json["part_ids"] = members(.parent, of: key.id)
        case .label: json["item_ids"] = pairs.filter { $0.label == key.id }.map(\.item).sorted()
        case .badge: break
        }
        return json
    }

    private func text(_ json: Any) -> String {
        let data = try? JSONSerialization.data(withJSONObject: json, options: [.sortedKeys])
        return String(decoding: data ?? Data(), as: UTF8.self)
    }

    private func object(_ body: [UInt8]?) -> [String: Any] {
        (try? JSONSerialization.jsonObject(with: Data(body ?? []))) as? [String: Any] ?? [:]
    }

    private mutating func apply(_ body: [UInt8]?, to key: Key) {
        for (name, value) in object(body).sorted(by: { $0.key < $1.key }) {
            switch (key.kind, name) {
            case (_, "id"), (_, "tag"): break
            case (_, "a"): set(.a, of: key, to: value as? Int, isClients: true)
            case (.item, "extra"):
                set(.b, of: key, to: (value as? [String: Any])?["b"] as? Int, isClients: true)
            case (.owner, "marks"):
                let marks = value as? [[String: Any]] ?? []
                // Two owners that turned out to be one have the edited marks of both.
                if marks.count != 1, unified.isEmpty { complaints.append("marks \(marks) of \(key)") }
                set(.b, of: key, to: marks.first?["b"] as? Int, isClients: true)
            case (_, "b"): set(.b, of: key, to: value as? Int, isClients: true)
            case (.item, "owner_id"): link(.owner, key.id, to: value as? Int, isClients: true)
            case (.badge, "owner_id"): link(.badge, key.id, to: value as? Int, isClients: true)
            case (.item, "parent_id"): link(.parent, key.id, to: value as? Int, isClients: true)
            case (.owner, "item_ids"): setMembers(.owner, of: key.id, to: value as? [Int] ?? [])
            case (.item, "part_ids"): setMembers(.parent, of: key.id, to: value as? [Int] ?? [])
            case (.owner, "badge_id"): setMembers(.badge, of: key.id, to: (value as? Int).map { [$0] } ?? [])
            case (.item, "label_ids"):
                setPairs(
                    pairs.filter { $0.item == key.id },
                    to: (value as? [Int] ?? []).map { Pair(item: key.id, label: $0) })
                listedItems.insert(key.id)
            case (.label, "item_ids"):
                setPairs(
                    pairs.filter { $0.label == key.id },
                    to: (value as? [Int] ?? []).map { Pair(item: $0, label: key.id) })
            default: complaints.append("\(name) of \(key)")
            }
        }
    }
}

// MARK: - Facts

extension Server {
    func ids(of kind: Kind) -> [Int] { rows.keys.filter { $0.kind == kind }.map(\.id).sorted() }

    func name(_ kind: Kind, _ id: Int) -> Name? {
        rows[Key(kind: kind, id: id)]?.tag.map { Name(kind: kind, tag: $0) }
    }

    func id(of name: Name) -> Int? { ids(of: name.kind).first { rows[Key(kind: name.kind, id: $0)]?.tag == name.tag } }

    func members(_ relation: Relation, of target: Int) -> [Int] {
        rows.filter { $0.key.kind == relation.member && $0.value.links[relation] == target }.map(\.key.id).sorted()
    }

    mutating func set(_ field: Field, of key: Key, to value: Int?, isClients: Bool) {
        rows[key]?.fields[field] = value
        if let name = name(key.kind, key.id) { note(.field(name, field), value, isClients) }
    }

    mutating func link(_ relation: Relation, _ member: Int, to target: Int?, isClients: Bool) {
        let known = target.flatMap { rows[Key(kind: relation.target, id: $0)] == nil ? nil : $0 }
        if relation == .badge, let known {
            for rival in members(.badge, of: known) where rival != member {
                link(.badge, rival, to: nil, isClients: isClients)
            }
        }
        rows[Key(kind: relation.member, id: member)]?.links[relation] = known
        guard let name = name(relation.member, member) else { return }
        note(.link(relation, name), known.flatMap { self.name(relation.target, $0)?.tag }, isClients)
    }

    private mutating func setMembers(_ relation: Relation, of target: Int, to ids: [Int]) {
        for id in members(relation, of: target) where !ids.contains(id) {
            link(relation, id, to: nil, isClients: true)
        }
        for id in ids where rows[Key(kind: relation.member, id: id)] != nil {
            link(relation, id, to: target, isClients: true)
        }
    }

    private mutating func setPairs(_ old: Set<Pair>, to new: [Pair]) {
        for pair in old.subtracting(new) { set(pair, to: false, isClients: true) }
        for pair in new { set(pair, to: true, isClients: true) }
    }

    mutating func set(_ pair: Pair, to isSet: Bool, isClients: Bool) {
        guard let item = name(.item, pair.item), let label = name(.label, pair.label) else { return }
        if isSet { pairs.insert(pair) } else { pairs.remove(pair) }
        note(.pair(item, label), isSet ? 1 : nil, isClients)
        if isClients, !isSet { writes[writes.endIndex - 1].isBlind = !listedItems.contains(pair.item) }
    }

    /// Another client creates a thing; false if it exists.
    mutating func make(_ name: Name) -> Bool {
        guard id(of: name) == nil else { return false }
        lastID += 1
        rows[Key(kind: name.kind, id: lastID)] = Row(tag: name.tag)
        return true
    }

    mutating func remove(_ key: Key) {
        rows[key] = nil
        pairs = pairs.filter { !(key.kind == .item && $0.item == key.id || key.kind == .label && $0.label == key.id) }
        for relation in Relation.allCases where relation.isLink && relation.target == key.kind {
            for member in members(relation, of: key.id) {
                rows[Key(kind: relation.member, id: member)]?.links[relation] = nil
            }
        }
    }

    private mutating func note(_ fact: Fact, _ value: Int?, _ isClients: Bool) {
        writes.append(Write(fact: fact, value: value, isClients: isClients))
    }
}
