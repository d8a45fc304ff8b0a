/// The objects that the issues reference.
struct World {
    let users: [UserBody]
    let labels: [LabelBody]
    let milestones: [MilestoneBody]

    init(_ chance: inout Chance) {
        let users = (0..<1_000).map(UserBody.init)
        self.users = users
        labels = (0..<50).map { LabelBody($0, &chance) }
        milestones = (0..<20).map { MilestoneBody($0, users, &chance) }
    }
}
