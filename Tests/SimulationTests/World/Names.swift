/// The models of the simulated world.
enum Kind: String, CaseIterable {
    case owner, item, label, badge

    var type: any Thing.Type {
        switch self {
        case .owner: Owner.self
        case .item: Item.self
        case .label: Label.self
        case .badge: Badge.self
        }
    }

    var path: String { rawValue + "s" }
}

/// A thing of the program, whichever object or row it is: `.item(3)`.
struct Name: Hashable, Comparable, CustomStringConvertible {
    let kind: Kind
    let tag: Int

    static func owner(_ tag: Int) -> Name { Name(kind: .owner, tag: tag) }
    static func item(_ tag: Int) -> Name { Name(kind: .item, tag: tag) }
    static func label(_ tag: Int) -> Name { Name(kind: .label, tag: tag) }
    static func badge(_ tag: Int) -> Name { Name(kind: .badge, tag: tag) }

    static func < (left: Name, right: Name) -> Bool {
        (left.kind.rawValue, left.tag) < (right.kind.rawValue, right.tag)
    }

    var description: String { ".\(kind.rawValue)(\(tag))" }
}

enum Field: String, CaseIterable { case a, b }

/// A relationship, both directions of it: of a member to its target (`item.owner`), and back (`owner.items`).
enum Relation: String, CaseIterable {
    /// `Item.owner` and the list `Owner.items`, which is kept by that link.
    case owner
    /// The same of a model to itself: `Item.parent` and `Item.parts`.
    case parent
    /// One to one: `Badge.owner` and `Owner.badge`.
    case badge
    /// Many to many: `Item.labels` and `Label.items`.
    case labels

    var member: Kind { self == .badge ? .badge : .item }
    var target: Kind {
        switch self {
        case .owner, .badge: .owner
        case .parent: .item
        case .labels: .label
        }
    }
    /// Whether a member has one target at most.
    var isLink: Bool { self != .labels }
}

/// Which side of a relationship is edited.
enum Side: String, CaseIterable { case member, target }

/// A fact that is true or false, in each context, in the file and at the server: the smallest thing that is edited.
enum Fact: Hashable, CustomStringConvertible {
    case field(Name, Field)
    /// A member's target, by its tag.
    case link(Relation, Name)
    /// Whether an item has a label: 1 or nil.
    case pair(Name, Name)

    /// The things that it is about.
    var names: [Name] {
        switch self {
        case .field(let name, _), .link(_, let name): [name]
        case .pair(let item, let label): [item, label]
        }
    }

    /// The thing that a value of it names.
    func target(_ value: Int?) -> Name? {
        guard case .link(let relation, _) = self, let value else { return nil }
        return Name(kind: relation.target, tag: value)
    }

    var description: String {
        switch self {
        case .field(let name, let field): "\(name).\(field)"
        case .link(.badge, let name): "\(name).owner"
        case .link(let relation, let name): "\(name).\(relation)"
        case .pair(let item, let label): "\(item) has \(label)"
        }
    }
}

extension Relation {
    /// The fact that is edited when a member and a target are linked, and its value then.
    func fact(_ member: Name, _ target: Name) -> (fact: Fact, value: Int) {
        isLink ? (.link(self, member), target.tag) : (.pair(member, target), 1)
    }
}
