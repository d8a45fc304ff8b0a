@testable import ObjectStore

/// The server, with the history of each fact. Its rows are unique and constant numbers.
struct FactServer {
    struct Object { var name: ModelRow, value: ModelValue, link: ModelRow? = nil, list: [ModelRow] = [] }
    /// A value, the time of the change, and its request, if it is one of this client's.
    struct Entry { let at: Int64, value: ModelValue, request: ChangeStamp? }
    struct Reply { var values: [ModelFact: ModelValue] = [:], identity: ModelRow? }

    var objects: [ModelRow: Object] = [:]
    var history: [ModelFact: [Entry]] = [:]
    var created: [ModelRow: ModelRow] = [:]
    var deletedNames: Set<ModelRow> = []
    let recognizesRepeats: Bool
    var lastUID = 1000, lastName = 0

    init(recognizesRepeats: Bool) { self.recognizesRepeats = recognizesRepeats }

    func uid(_ name: ModelRow) -> ModelRow? { objects.keys.filter { objects[$0]!.name == name }.min() }

    func uids(_ kind: ModelRow.Kind) -> [ModelRow] { objects.keys.filter { $0.kind == kind }.sorted() }

    mutating func newName(_ kind: ModelRow.Kind) -> ModelRow {
        lastName += 1
        return ModelRow(kind: kind, number: lastName)
    }

    /// Returns the value that the server stores: even numbers only, and the first tag never belongs to the second note.
    static func normal(_ fact: ModelFact, _ value: ModelValue) -> ModelValue {
        switch (fact, value) {
        case (.value(let row), .number(let number)) where row.kind == .card: .number(number / 2 * 2)
        case (.pair(let note, let tag), .flag) where note.number == 1002 && tag.number == 1003: .flag(false)
        default: value
        }
    }

    func facts() -> [ModelFact: ModelValue] {
        var result: [ModelFact: ModelValue] = [:]
        for (row, object) in objects {
            result[.life(row)] = .flag(true)
            result[.value(row)] = object.value
            if row.kind == .card {
                result[.link(row)] = .link(object.link)
            } else {
                result[.order(row)] = .order(object.list)
            }
            if row.kind == .note { for tag in object.list { result[.pair(note: row, tag: tag)] = .flag(true) } }
        }
        return result
    }

    /// Changes the server and records the changes.
    mutating func change(at: Int64, by request: ChangeStamp?, _ body: (inout Self) -> Void) {
        let before = facts()
        body(&self)
        let after = facts()
        for fact in Set(before.keys).union(after.keys).filter({ before[$0] != after[$0] }).sorted() {
            let value = after[fact] ?? .flag(false)
            history[fact, default: before[fact] == nil ? [Entry(at: -1, value: .flag(false), request: nil)] : []]
                .append(Entry(at: at, value: value, request: request))
        }
    }

    // MARK: Changes

    mutating func add(_ kind: ModelRow.Kind, _ value: ModelValue, name: ModelRow? = nil) -> ModelRow {
        lastUID += 1
        let uid = ModelRow(kind: kind, number: lastUID)
        objects[uid] = Object(name: name ?? newName(kind), value: value)
        return uid
    }

    mutating func delete(_ uid: ModelRow) {
        deletedNames.insert(objects[uid]!.name)
        objects[uid] = nil
        for row in objects.keys.sorted() {
            objects[row]!.list.removeAll { $0 == uid }
            if objects[row]!.link == uid { objects[row]!.link = nil }
        }
    }

    mutating func setPair(_ note: ModelRow, _ tag: ModelRow, _ isMember: Bool) {
        let isMember = Self.normal(.pair(note: note, tag: tag), .flag(isMember)) == .flag(true)
        for (owner, member) in [(note, tag), (tag, note)] {
            if !isMember { objects[owner]!.list.removeAll { $0 == member } }
            if isMember && !objects[owner]!.list.contains(member) { objects[owner]!.list.append(member) }
        }
    }

    mutating func setLink(_ card: ModelRow, _ board: ModelRow?) {
        guard objects[card]!.link != board else { return }
        if let old = objects[card]!.link { objects[old]!.list.removeAll { $0 == card } }
        objects[card]!.link = board
        if let board { objects[board]!.list.append(card) }
    }

    mutating func setList(_ owner: ModelRow, _ members: [ModelRow]) {
        for row in objects[owner]!.list where !members.contains(row) {
            if owner.kind == .board { setLink(row, nil) } else { setPair(owner, member: row, false) }
        }
        for row in members {
            if owner.kind == .board { setLink(row, owner) } else { setPair(owner, member: row, true) }
        }
        let kept = Set(objects[owner]!.list)
        objects[owner]!.list = members.filter(kept.contains)
    }

    mutating func setPair(_ owner: ModelRow, member: ModelRow, _ isMember: Bool) {
        if owner.kind == .note { setPair(owner, member, isMember) } else { setPair(member, owner, isMember) }
    }

    // MARK: Requests

    /// Applies a request, or returns `nil` to reject it. The reply has the server's values of all facts that were sent.
    mutating func apply(_ request: ModelRequest, at: Int64) -> Reply? {
        var map: [ModelRow: ModelRow] = [:]
        for (row, name) in request.wire.ordered { map[row] = uid(name) }
        let created = created
        var reply = Reply()
        if case .life(let row) = request.kind {
            if request.body.sent[.life(row)] == .flag(false) {
                if let uid = map[row] { change(at: at, by: request.stamp) { $0.delete(uid) } }
                reply.values[.life(row)] = .flag(false)
                return reply
            }
            guard request.body.named.allSatisfy({ map[$0] != nil }) else { return nil }
            if recognizesRepeats, let uid = created[row], objects[uid] != nil {
                map[row] = uid
            } else {
                change(at: at, by: request.stamp) {
                    let uid = $0.add(row.kind, request.body.sent[.value(row)] ?? .number(0))
                    map[row] = uid
                    $0.created[row] = uid
                }
            }
            reply.identity = objects[map[row]!]!.name
        }
        guard request.body.named.allSatisfy({ map[$0] != nil }) else { return nil }
        if case .rename(let row) = request.kind {
            guard let uid = map[row], case .identity(let number)? = request.body.sent[.identity(row)] else {
                return nil
            }
            objects[uid]!.name.number = number
            reply.values = request.body.sent
            return reply
        }
        let final = map
        change(at: at, by: request.stamp) { $0.apply(request, final) }
        let back = Dictionary(map.ordered.map { ($1, $0) }) { a, _ in a }
        let values = facts()
        for fact in request.body.sent.keys.sorted() where fact.rows.allSatisfy({ map[$0] != nil }) {
            let value = values[fact.mapRows { map[$0]! }]
            if case .pair = fact {
                reply.values[fact] = value ?? .flag(false)
            } else if let value {
                guard value.rows.allSatisfy({ back[$0] != nil }) else { continue }
                reply.values[fact] = value.mapRows { back[$0]! }
            }
        }
        return reply
    }

    private mutating func apply(_ request: ModelRequest, _ map: [ModelRow: ModelRow]) {
        if case .list(let owner) = request.kind {
            setList(map[owner]!, request.body.sent[.order(owner)]!.members.map { map[$0]! })
            return
        }
        for (fact, value) in request.body.sent.ordered {
            switch (fact, value) {
            case (.value(let row), _): objects[map[row]!]!.value = Self.normal(fact.mapRows { map[$0]! }, value)
            case (.link(let row), .link(let target)): setLink(map[row]!, target.map { map[$0]! })
            case (.pair(let note, let tag), .flag(let isMember)): setPair(map[note]!, map[tag]!, isMember)
            default: break
            }
        }
    }

    // MARK: Fetches

    enum Question: Sendable {
        case index(ModelRow.Kind)
        case object(ModelRow)
        case list(ModelRow, limit: Int?)
    }

    func answer(_ question: Question) -> ModelAnswer {
        var answer = ModelAnswer()
        switch question {
        case .index(let kind): answer.objects = uids(kind).map(described)
        case .object(let name):
            if let uid = uid(name) { answer.objects = [described(uid)] } else { answer.missing = name }
        case .list(let name, let limit):
            guard let uid = uid(name) else {
                answer.missing = name
                break
            }
            let names = objects[uid]!.list.map { objects[$0]!.name }
            answer.lists = [
                .init(owner: name, members: limit.map { Array(names.prefix($0)) } ?? names, isPart: limit != nil)
            ]
        }
        return answer
    }

    private func described(_ uid: ModelRow) -> ModelAnswer.Object {
        let object = objects[uid]!
        return .init(name: object.name, value: object.value, link: object.link.map { objects[$0]!.name })
    }
}
