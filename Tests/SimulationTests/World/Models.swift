import RestfulData

/// The common properties of all models in the simulated world.
protocol Thing: Model {
    var identifier: Int? { get set }
    /// Which thing of the program it is: set once, when it is made.
    var tag: Int? { get set }
    var a: Int? { get set }
    var b: Int? { get set }

    init(in context: ObjectContext)
    static func tagged(_ tag: Int, _ properties: Properties) -> QueryPredicate<Self>
}

@Model("/owners")
final class Owner: Thing {
    var identifier: Int?
    var tag: Int?
    var a: Int?
    @Relationship(inverse: "owner") var marks: [Mark]
    @Relationship("/owners/:id/items", inverse: "owner") var items: [Item]
    // Only one of two new objects can be created first, so links are sent from one side; but the items' from both.
    @Relationship(inverse: "owner", sentAs: .never, onDelete: .cascade) var badge: Badge?

    /// The value of the only element of an embedded list.
    var b: Int? {
        get { marks.first?.b }
        set {
            if let context, marks.isEmpty {
                let mark = Mark(in: context)
                mark.owner = self
                mark.key = "b"
            }
            marks.first?.b = newValue
        }
    }

    static func tagged(_ tag: Int, _ properties: Properties) -> QueryPredicate<Owner> { properties.tag == tag }
}

/// Embedded in an owner, in a list.
@Model(embedded: true)
final class Mark {
    var key = ""
    var b: Int?
    var owner: Owner?
}

@Model("/items")
final class Item: Thing {
    var identifier: Int?
    var tag: Int?
    var a: Int?
    @Relationship(inverse: nil) var extra: Extra?
    @Relationship(inverse: "items") var owner: Owner?
    @Relationship(inverse: "parts") var parent: Item?
    @Relationship("/items/:id/parts", inverse: "parent", sentAs: .never) var parts: [Item]
    @Relationship("/items/:id/labels", inverse: "items") var labels: [Label]

    /// An embedded object's value: an even number comes with a new one, an odd one into the existing one.
    var b: Int? {
        get { extra?.b }
        set {
            if let context, extra == nil || newValue.map({ $0 % 2 == 0 }) == true { extra = Extra(in: context) }
            extra?.b = newValue
        }
    }

    static func tagged(_ tag: Int, _ properties: Properties) -> QueryPredicate<Item> { properties.tag == tag }
}

/// Embedded in an item.
@Model(embedded: true)
final class Extra {
    var b: Int?
}

@Model("/labels")
final class Label: Thing {
    var identifier: Int?
    var tag: Int?
    var a: Int?
    var b: Int?
    @Relationship(inverse: "labels", sentAs: .never) var items: [Item]

    static func tagged(_ tag: Int, _ properties: Properties) -> QueryPredicate<Label> { properties.tag == tag }
}

@Model("/badges")
final class Badge: Thing {
    var identifier: Int?
    var tag: Int?
    var a: Int?
    var b: Int?
    @Relationship(inverse: "badge") var owner: Owner?

    static func tagged(_ tag: Int, _ properties: Properties) -> QueryPredicate<Badge> { properties.tag == tag }
}
