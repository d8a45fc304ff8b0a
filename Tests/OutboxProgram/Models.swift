import RestfulData

// The models of `Tracker` in RestfulDataTests, which opens the same files.

@Model("/repos") final class Repo {
    var identifier: Int?
    var name: String?
    @Relationship("/repos/:id/issues", inverse: "repo", sentAs: .never) var issues: [Issue]
}

@Model("/issues") final class Issue {
    var identifier: Int?
    var title: String?
    var body: String?
    var repo: Repo?
    @Relationship("/issues/:id/labels", inverse: nil, sentAs: .never) var labels: [Label]
    @Relationship(inverse: nil) var duplicate: Issue?
}

@Model("/labels") final class Label {
    var identifier: Int?
    var name: String?
}
