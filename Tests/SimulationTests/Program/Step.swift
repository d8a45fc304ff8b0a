/// One step of a program. Its direct effect is immediate; operations that it begins go on when the schedule lets them.
enum Step: Hashable {
    // Edits of a context.
    case make(in: Int, Name)
    case edit(in: Int, Name, Field, Int)
    case join(in: Int, Relation, Name, Name, by: Side)
    case part(in: Int, Relation, Name, Name, by: Side)
    case discard(in: Int, Name)
    case rollback(in: Int)
    // An operation that takes a while.
    case save(in: Int)
    case create(in: Int, Name, Fate)
    case send(in: Int, Name, Fate)
    case destroy(in: Int, Name, Fate)
    case fetch(in: Int, Name, Fate)
    case fetchAll(in: Int, Kind, Fate)
    case fetchList(in: Int, Relation, Name, Fate)
    /// A member is added to its target's list at the server, or removed from it.
    case sendMembership(in: Int, Relation, Name, Name, linked: Bool, Fate)
    case take(in: Int, Kind)
    // Other clients' changes at the server.
    case serverMake(Name)
    case serverEdit(Name, Field, Int)
    case serverLink(Relation, Name, Name?)
    case serverDelete(Name)
    /// Whether the server's objects name the members of their lists; at first they name their links alone.
    case serverLists(Bool)
    /// Whether items name their labels, and a list of those is whole; else the list comes in pages of one.
    case serverLabels(Bool)
    // The operation that goes on next.
    case reply(Int)
    case run(Int, pick: UInt64)
    case settle(pick: UInt64)
    case look(in: Int)
    case drop(in: Int)
    case restart

    /// The fate of a request.
    enum Fate: String, CaseIterable {
        /// The server does it and answers with the whole object.
        case whole
        /// The server does it and answers with a part of the object.
        case partial
        /// The server does it and answers with nothing.
        case bare
        /// The server does it, and its answer doesn't arrive.
        case lost
        /// The request doesn't arrive.
        case unreached
        /// The server doesn't do it.
        case refused
        /// A creation gives an object that the server has already.
        case existing
    }
}

extension Step {
    /// Whether a reply is incomplete, or doesn't come.
    var isFaulty: Bool {
        switch self {
        case .create(_, _, let fate), .send(_, _, let fate), .destroy(_, _, let fate), .fetch(_, _, let fate),
            .fetchAll(_, _, let fate), .fetchList(_, _, _, let fate), .sendMembership(_, _, _, _, _, let fate):
            ![.whole, .bare].contains(fate)
        default: false
        }
    }

    /// The kind of step, for counting its effects.
    var verb: String { String(description.dropFirst().prefix { $0.isLetter }) }
}

/// As written in a Swift array, to be kept and run again.
extension Step: CustomStringConvertible {
    var description: String {
        switch self {
        case .make(let context, let name): ".make(in: \(context), \(name))"
        case .edit(let context, let name, let field, let value): ".edit(in: \(context), \(name), .\(field), \(value))"
        case .join(let context, let relation, let member, let target, let side):
            ".join(in: \(context), .\(relation), \(member), \(target), by: .\(side))"
        case .part(let context, let relation, let member, let target, let side):
            ".part(in: \(context), .\(relation), \(member), \(target), by: .\(side))"
        case .discard(let context, let name): ".discard(in: \(context), \(name))"
        case .rollback(let context): ".rollback(in: \(context))"
        case .save(let context): ".save(in: \(context))"
        case .create(let context, let name, let fate): ".create(in: \(context), \(name), .\(fate))"
        case .send(let context, let name, let fate): ".send(in: \(context), \(name), .\(fate))"
        case .destroy(let context, let name, let fate): ".destroy(in: \(context), \(name), .\(fate))"
        case .fetch(let context, let name, let fate): ".fetch(in: \(context), \(name), .\(fate))"
        case .fetchAll(let context, let kind, let fate): ".fetchAll(in: \(context), .\(kind), .\(fate))"
        case .fetchList(let context, let relation, let target, let fate):
            ".fetchList(in: \(context), .\(relation), \(target), .\(fate))"
        case .sendMembership(let context, let relation, let member, let target, let linked, let fate):
            ".sendMembership(in: \(context), .\(relation), \(member), \(target), linked: \(linked), .\(fate))"
        case .take(let context, let kind): ".take(in: \(context), .\(kind))"
        case .serverMake(let name): ".serverMake(\(name))"
        case .serverEdit(let name, let field, let value): ".serverEdit(\(name), .\(field), \(value))"
        case .serverLink(let relation, let member, let target):
            ".serverLink(.\(relation), \(member), \(target.map { "\($0)" } ?? "nil"))"
        case .serverDelete(let name): ".serverDelete(\(name))"
        case .serverLists(let isOn): ".serverLists(\(isOn))"
        case .serverLabels(let isOn): ".serverLabels(\(isOn))"
        case .reply(let index): ".reply(\(index))"
        case .run(let count, let pick): ".run(\(count), pick: \(pick))"
        case .settle(let pick): ".settle(pick: \(pick))"
        case .look(let context): ".look(in: \(context))"
        case .drop(let context): ".drop(in: \(context))"
        case .restart: ".restart"
        }
    }
}
