import RestfulData

/// Embedded, with a URL, and in nothing.
@Model("/plots", embedded: true)
final class Plot {
    var size = 0
}

@Model
final class Field {
    var identifier: Int?
    @Relationship(inverse: "fields") var tags: [Tag]
}

/// Embedded, in many fields.
@Model(embedded: true)
final class Tag {
    var fields: [Field]
}
