enum DemoMilestones {
    /// A closed, a due, and an undated one.
    static func all(in repository: Repository) -> [Milestone] {
        let start = repository.createdAt
        return [
            Milestone(
                id: repository.id * 10 + 1, number: 1, title: "v1.0", description: "The first one that greets",
                creatorID: repository.ownerID, state: .closed, createdAt: start.adding(days: 10),
                updatedAt: start.adding(days: 400), closedAt: start.adding(days: 400), dueOn: start.adding(days: 390)),
            Milestone(
                id: repository.id * 10 + 2, number: 2, title: "v1.1", description: "Greets by name",
                creatorID: repository.ownerID, createdAt: start.adding(days: 300), updatedAt: start.adding(days: 450),
                dueOn: start.adding(days: 5_500)),
            Milestone(
                id: repository.id * 10 + 3, number: 3, title: "Someday", creatorID: DemoUsers.hubot,
                createdAt: start.adding(days: 310), updatedAt: start.adding(days: 310)),
        ]
    }
}
