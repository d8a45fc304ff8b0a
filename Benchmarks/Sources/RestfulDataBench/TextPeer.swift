import RestfulData

/// Dates are kept as the text that the server sent, as the other peers keep them.
struct TextPeer: ModelPeer {
    typealias Issue = RestfulDataBench.Issue
    typealias Repository = RestfulDataBench.Repository
    let store: Store

    init(path: String) throws {
        store = try Store(
            .file(path), models: [Issue.self, User.self, Label.self, Milestone.self, Repository.self])
    }
}
