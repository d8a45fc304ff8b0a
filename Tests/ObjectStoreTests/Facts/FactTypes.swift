import TestSupport

/// An object in the file (`number` is its row), at the server (its uid), or on the wire (its identity).
struct ModelRow: Hashable, Comparable, Sendable {
    enum Kind: Int, Sendable { case note, tag, board, card }
    let kind: Kind
    var number: Int
    static func < (a: Self, b: Self) -> Bool { a.place < b.place }

    fileprivate var place: Int { kind.rawValue << 20 + number }
}

/// Notes and tags have lists of each other (`pair`). A board's list of cards consists of the cards' links.
enum ModelFact: Hashable, Comparable, Sendable {
    case value(ModelRow)
    case link(ModelRow)
    case pair(note: ModelRow, tag: ModelRow)
    case order(ModelRow)
    case life(ModelRow)
    case identity(ModelRow)

    static func membership(of member: ModelRow, in owner: ModelRow) -> ModelFact {
        switch owner.kind {
        case .note: .pair(note: owner, tag: member)
        case .tag: .pair(note: member, tag: owner)
        default: .link(member)
        }
    }

    /// The order in which facts are visited, so that each seed has one run.
    static func < (a: Self, b: Self) -> Bool { a.place < b.place }

    private var place: Int {
        switch self {
        case .value(let row): row.place
        case .link(let row): 1 << 50 + row.place
        case .pair(let note, let tag): 2 << 50 + note.place << 25 + tag.place
        case .order(let row): 3 << 50 + row.place
        case .life(let row): 4 << 50 + row.place
        case .identity(let row): 5 << 50 + row.place
        }
    }

    var rows: [ModelRow] {
        switch self {
        case .value(let row), .link(let row), .order(let row), .life(let row), .identity(let row): [row]
        case .pair(let note, let tag): [note, tag]
        }
    }

    func mapRows(_ map: (ModelRow) -> ModelRow) -> ModelFact {
        switch self {
        case .value(let row): .value(map(row))
        case .link(let row): .link(map(row))
        case .pair(let note, let tag): .pair(note: map(note), tag: map(tag))
        case .order(let row): .order(map(row))
        case .life(let row): .life(map(row))
        case .identity(let row): .identity(map(row))
        }
    }
}

enum ModelValue: Hashable, Sendable {
    case number(Int)
    case sequence([Int])
    case link(ModelRow?)
    case flag(Bool)
    case identity(Int)
    case order([ModelRow], isWhole: Bool = false)
    /// A list of links reports that the card is on another board or on none.
    case notHere(ModelRow)

    var rows: [ModelRow] {
        switch self {
        case .link(let row?), .notHere(let row): [row]
        case .order(let rows, _): rows
        default: []
        }
    }

    var members: [ModelRow] { if case .order(let rows, _) = self { rows } else { [] } }
    var isWhole: Bool { if case .order(_, true) = self { true } else { false } }

    func mapRows(_ map: (ModelRow) -> ModelRow) -> ModelValue {
        switch self {
        case .link(let row): .link(row.map(map))
        case .notHere(let row): .notHere(map(row))
        case .order(let rows, let isWhole): .order(rows.map(map).uniqued, isWhole: isWhole)
        default: self
        }
    }
}

/// The contexts: A, its draft D, and C belong to process 1, B to process 2.
enum ModelContext: CaseIterable, Hashable, Comparable, Sendable {
    case a, b, c, d
    var parent: ModelContext? { self == .d ? .a : nil }
    var chain: [ModelContext] { self == .d ? [.d, .a] : [self] }
    var process: Int { self == .b ? 2 : 1 }
}

enum ModelRequestKind: Hashable, Sendable {
    case list(ModelRow)
    case pair(note: ModelRow, tag: ModelRow)
    case object(ModelRow, all: Bool)
    case life(ModelRow)
    case rename(ModelRow)
}

extension SeededGenerator {
    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }
    mutating func pick<T>(_ items: [T]) -> T? { items.randomElement(using: &self) }
}

extension Dictionary where Key: Comparable {
    /// The entries in the order of their keys.
    var ordered: [(key: Key, value: Value)] {
        count < 2 ? Array(self) : keys.sorted().map { ($0, self[$0]!) }
    }
}

extension [ModelRow] {
    /// Of two objects that became one, the first keeps its place.
    fileprivate var uniqued: [ModelRow] {
        var seen: Set<ModelRow> = []
        return filter { seen.insert($0).inserted }
    }
}
