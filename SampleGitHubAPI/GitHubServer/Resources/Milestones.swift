/// `/repos/:owner/:repo/milestones`.
enum Milestones {
    static func list(_ world: inout World, _ call: Call) throws(Refusal) -> Reply {
        let repository = world.repositories[try world.issuesIndex(call)]
        let shapes = call.shapes(of: world)
        let state = call.query["state"] ?? "open"
        let milestones = repository.milestones.filter { state == "all" || $0.state.rawValue == state }
        let path = shapes.permanentPath(of: repository) + "/milestones"
        return .page(of: sorted(milestones, in: repository, call.query), at: path, call) {
            shapes.milestone($0, in: repository)
        }
    }

    static func show(_ world: inout World, _ call: Call) throws(Refusal) -> Reply {
        let (index, position) = try find(call, in: world)
        let repository = world.repositories[index]
        let milestone = repository.milestones[position]
        return .ok(call.shapes(of: world).milestone(milestone, in: repository), lastModified: milestone.updatedAt)
    }

    static func create(_ world: inout World, _ call: Call) throws(Refusal) -> Reply {
        let index = try world.issuesIndex(call)
        let input = try Input(call)
        let now = world.clock.tick()
        var milestone = Milestone(
            id: world.newIdentifier(), number: world.repositories[index].lastMilestoneNumber + 1, title: "",
            creatorID: call.viewer.userID ?? world.viewerID, createdAt: now, updatedAt: now)
        try apply(input, to: &milestone, in: world.repositories[index], at: now)
        world.repositories[index].lastMilestoneNumber = milestone.number
        world.repositories[index].milestones.append(milestone)
        let shapes = call.shapes(of: world)
        let repository = world.repositories[index]
        return .created(
            shapes.milestone(milestone, in: repository), at: shapes.api(shapes.path(of: milestone, in: repository)))
    }

    static func edit(_ world: inout World, _ call: Call) throws(Refusal) -> Reply {
        let (index, position) = try find(call, in: world)
        let input = try Input(call)
        let now = world.clock.tick()
        var milestone = world.repositories[index].milestones[position]
        milestone.updatedAt = now
        try apply(input, to: &milestone, in: world.repositories[index], at: now)
        world.repositories[index].milestones[position] = milestone
        return .ok(call.shapes(of: world).milestone(milestone, in: world.repositories[index]))
    }

    static func delete(_ world: inout World, _ call: Call) throws(Refusal) -> Reply {
        let (index, position) = try find(call, in: world)
        let milestone = world.repositories[index].milestones.remove(at: position)
        for issue in world.repositories[index].issues.indices
        where world.repositories[index].issues[issue].milestoneNumber == milestone.number {
            world.repositories[index].issues[issue].milestoneNumber = nil
        }
        _ = world.clock.tick()
        return .noContent
    }

    private static func find(_ call: Call, in world: World) throws(Refusal) -> (repository: Int, milestone: Int) {
        let index = try world.issuesIndex(call)
        let number = try call.number("number")
        guard let milestone = world.repositories[index].milestones.firstIndex(where: { $0.number == number }) else {
            throw .notFound
        }
        return (index, milestone)
    }

    private static func apply(
        _ input: Input, to milestone: inout Milestone, in repository: Repository, at now: Timestamp
    ) throws(Refusal) {
        milestone.title = try input.string("title") ?? milestone.title
        try input.nullableString("description").assign(to: &milestone.description)
        try applyState(try input.string("state"), to: &milestone, at: now)
        try applyDueDate(try input.nullableString("due_on"), to: &milestone)
        guard !milestone.title.isEmpty else { throw .validation(.missing("Milestone", "title")) }
        if repository.milestones.contains(where: { $0.title == milestone.title && $0.id != milestone.id }) {
            throw .validation(.exists("Milestone", "title"))
        }
    }

    private static func applyState(_ text: String?, to milestone: inout Milestone, at now: Timestamp) throws(Refusal) {
        guard let text else { return }
        guard let state = OpenState(rawValue: text) else {
            throw .validation(.invalid("Milestone", "state", value: .string(text)))
        }
        if state != milestone.state { milestone.closedAt = state == .closed ? now : nil }
        milestone.state = state
    }

    private static func applyDueDate(_ date: Sent<String>, to milestone: inout Milestone) throws(Refusal) {
        switch date {
        case .nothing: break
        case .null: milestone.dueOn = nil
        case .value(let text):
            guard let dueOn = Timestamp(iso8601: text) else {
                throw .validation(.invalid("Milestone", "due_on", value: .string(text)))
            }
            milestone.dueOn = dueOn
        }
    }

    /// By due date with undated ones last, or by the share of closed issues.
    private static func sorted(_ milestones: [Milestone], in repository: Repository, _ query: Query) -> [Milestone] {
        let byCompleteness = query["sort"] == "completeness"
        let sorted = milestones.sorted { left, right in
            byCompleteness
                ? (completeness(left, in: repository), left.number) < (
                    completeness(right, in: repository), right.number
                )
                : (left.dueOn?.seconds ?? .max, left.number) < (right.dueOn?.seconds ?? .max, right.number)
        }
        return query["direction"] == "desc" ? sorted.reversed() : sorted
    }

    private static func completeness(_ milestone: Milestone, in repository: Repository) -> Double {
        let closed = repository.issueCount(ofMilestone: milestone.number, .closed)
        let open = repository.issueCount(ofMilestone: milestone.number, .open)
        return closed + open == 0 ? 0 : Double(closed) / Double(closed + open)
    }
}
