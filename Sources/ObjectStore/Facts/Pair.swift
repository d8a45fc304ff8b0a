/// A possible membership in a many-to-many list. It is one fact, from whichever side it is edited.
struct Pair: Hashable, Sendable {
    /// The join table's name.
    let join: String
    let source: RowID
    let target: RowID
}

/// An edit of a membership that is saved and that the server has not confirmed.
struct PairEdit: Equatable, Sendable {
    /// The lists that were edited, and are sent with it.
    struct Sides: OptionSet {
        let rawValue: Int64

        static let source = Sides(rawValue: 1)
        static let target = Sides(rawValue: 2)
    }

    var isMember: Bool
    /// What the server last said; nil if it has said nothing.
    var base: Bool?
    var stamp: ChangeStamp
    var sides: Sides
}

extension List {
    /// The membership of a row in an owner's list; nil if the members' own links say it.
    func pair(_ owner: RowID, _ member: RowID) -> Pair? {
        guard case .join(let join, let isReversed) = storage else { return nil }
        return Pair(join: join.name, source: isReversed ? member : owner, target: isReversed ? owner : member)
    }

    /// The side of a pair that this list is.
    var side: PairEdit.Sides { if case .join(_, isReversed: true) = storage { .target } else { .source } }
}

extension Schema {
    func joinTable(named name: String) -> JoinTable? { joinTables.first { $0.name == name } }

    /// Whether each membership of a list is a fact of its own. The members of other lists say it by their links, or are
    /// embedded.
    func hasPairs(_ list: List) -> Bool { !list.isOfLinks && !self[list.target].isEmbedded }
}
