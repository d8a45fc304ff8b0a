import RestfulData

/// Has embedded objects of its own: one, and a list.
@Model
final class Customer {
    var identifier: Int?
    var name = ""
    @Relationship(inverse: nil) var address: Address?
    @Relationship(inverse: "customer") var phones: [Phone]
}

/// Embedded in customers, with an embedded list and a link to an independent object.
@Model(embedded: true)
final class Address {
    var street = ""
    var zip: String?
    @Relationship(inverse: nil) var country: Country?
    @Relationship(inverse: nil) var lines: [Line]
}

/// Leads back to its owner.
@Model(embedded: true)
final class Phone {
    var number = ""
    var kind: String?
    var customer: Customer?
}

@Model(embedded: true)
final class Line {
    var text = ""
}

@Model(identity: "code")
final class Country {
    var code: String?
    var name = ""
}
