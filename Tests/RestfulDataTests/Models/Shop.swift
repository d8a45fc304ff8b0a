import RestfulData

// A service with embedded objects and delete rules.

@Model("/orders")
final class Order {
    var identifier: Int?
    var note = ""
    @Relationship(inverse: nil) var address: Address?
    @Relationship(inverse: "order") var items: [Item]
    @Relationship(inverse: "order", onDelete: .deny) var payments: [Payment]
}

@Model(embedded: true)
final class Address {
    var street = ""
    var zip: String?
    @Relationship(inverse: nil) var country: Country?
    @Relationship(inverse: nil) var tags: [Tag]
}

@Model(embedded: true)
final class Item {
    var name = ""
    var count = 0
    var order: Order?
}

@Model(embedded: true)
final class Tag {
    var text = ""
}

@Model("/countries")
final class Country {
    var identifier: Int?
}

@Model("/payments")
final class Payment {
    var identifier: Int?
    var order: Order?
}

enum Shop {
    static let models: [any Model.Type] = [
        Order.self, Address.self, Item.self, Tag.self, Country.self, Payment.self,
    ]
}
