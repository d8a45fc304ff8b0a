import RestfulData

@Model
final class Project {
    var identifier: Int?
    var name = ""
    var tickets: [Ticket]
}

/// Its number is unique only within its project.
@Model(identity: "project", "number")
final class Ticket {
    var number: Int?
    var title = ""
    var project: Project?
}

/// Links to an object with several parts in its identity.
@Model
final class Bug {
    var identifier: Int?
    @Relationship(inverse: nil) var ticket: Ticket?
    @Relationship(inverse: nil) var tickets: [Ticket]
}
