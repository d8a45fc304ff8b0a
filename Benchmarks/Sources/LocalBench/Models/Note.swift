import RestfulData

/// A text that is found by its words.
@Model
final class Note {
    var identifier: Int?
    @Attribute(searchable: true) var text = ""
}

/// As little as a row can be.
@Model
final class Reading {
    var identifier: Int?
    var value = 0
}
