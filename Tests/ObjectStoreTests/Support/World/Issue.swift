import RestfulData

@Model
final class Issue {
    enum State: String { case open, closed }

    var identifier: Int?
    var number: Int?
    var title = ""
    var state: State = .open
    var repository: Repository?
    var assignee: User?
    var labels: [Label]
    @Relationship(owns: true) var comments: [Comment]
}
