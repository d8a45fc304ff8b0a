import RestfulData

/// Dates are parsed, and stored as dates.
struct DatedPeer: ModelPeer {
    typealias Issue = DatedIssue
    typealias Repository = DatedRepository
    let store: Store

    init(path: String) throws {
        store = try Store(
            .file(path), models: [Issue.self, User.self, Label.self, DatedMilestone.self, Repository.self])
    }
}
