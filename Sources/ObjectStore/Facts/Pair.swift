/// A possible membership in a many-to-many list: one fact, edited by either list.
struct Pair: Hashable, Sendable {
    let join: String
    let source: RowID
    let target: RowID
}

/// A saved edit of a membership that the server hasn't acknowledged.
struct PairEdit: Equatable, Sendable {
    /// The edited lists, which send the edit.
    struct Sides: OptionSet {
        let rawValue: Int64

        static let source = Sides(rawValue: 1)
        static let target = Sides(rawValue: 2)
    }

    var isMember: Bool
    /// Whether the server has the member. Nil: unknown.
    var base: Bool?
    var stamp: ChangeStamp
    var sides: Sides
}

extension List {
    /// Nil for a list of its members' links.
    func pair(_ owner: RowID, _ member: RowID) -> Pair? {
        guard case .join(let join, let isReversed) = storage else { return nil }
        return Pair(join: join.name, source: isReversed ? member : owner, target: isReversed ? owner : member)
    }

    var side: PairEdit.Sides { if case .join(_, isReversed: true) = storage { .target } else { .source } }
}

extension Schema {
    func joinTable(named name: String) -> JoinTable? { joinTables.first { $0.name == name } }

    /// False for lists of their members' links, or of embedded objects.
    func hasPairs(_ list: List) -> Bool { !list.isOfLinks && !self[list.target].isEmbedded }
}
