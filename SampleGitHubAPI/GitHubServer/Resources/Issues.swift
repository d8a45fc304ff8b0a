/// `/repos/:owner/:repo/issues`. GitHub deletes issues by `/graphql` alone.
enum Issues {
    static func list(_ world: inout World, _ call: Call) throws(Refusal) -> Reply {
        let repository = world.repositories[try world.issuesIndex(call)]
        let filter = try IssueFilter(call.query, in: repository, of: world)
        let shapes = call.shapes(of: world)
        return .page(
            of: filter.apply(to: repository.issues), at: shapes.permanentPath(of: repository) + "/issues", call
        ) {
            shapes.issue($0, in: repository)
        }
    }

    static func show(_ world: inout World, _ call: Call) throws(Refusal) -> Reply {
        let (index, issue) = try world.issueIndex(call)
        let repository = world.repositories[index]
        return .ok(
            call.shapes(of: world).issue(repository.issues[issue], in: repository),
            lastModified: repository.issues[issue].updatedAt)
    }

    static func create(_ world: inout World, _ call: Call) throws(Refusal) -> Reply {
        let index = try world.issuesIndex(call)
        let input = try IssueInput(call, isNew: true)
        try input.validate(in: world.repositories[index], of: world)
        let now = world.clock.tick()
        let number = world.repositories[index].nextIssueNumber
        var issue = Issue(
            id: world.newIdentifier(), number: number, title: "", userID: call.viewer.userID, createdAt: now,
            updatedAt: now)
        input.apply(to: &issue, in: index, of: &world, by: call.viewer.userID, at: now)
        world.repositories[index].issues.append(issue)
        let repository = world.repositories[index]
        let shapes = call.shapes(of: world)
        return .created(
            shapes.issue(issue, in: repository), at: shapes.api(shapes.path(of: issue, in: repository)))
    }

    static func edit(_ world: inout World, _ call: Call) throws(Refusal) -> Reply {
        let (index, position) = try world.issueIndex(call)
        let input = try IssueInput(call, isNew: false)
        try input.validate(in: world.repositories[index], of: world)
        let now = world.clock.tick()
        var issue = world.repositories[index].issues[position]
        issue.updatedAt = now
        input.apply(to: &issue, in: index, of: &world, by: call.viewer.userID, at: now)
        world.repositories[index].issues[position] = issue
        return .ok(call.shapes(of: world).issue(issue, in: world.repositories[index]))
    }
}
