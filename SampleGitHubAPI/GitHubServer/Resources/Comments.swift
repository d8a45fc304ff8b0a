/// `/repos/:owner/:repo/issues/:number/comments` and `/repos/:owner/:repo/issues/comments/:id`.
enum Comments {
    static func list(_ world: inout World, _ call: Call) throws(Refusal) -> Reply {
        let (index, position) = try world.issueIndex(call)
        let repository = world.repositories[index]
        let number = repository.issues[position].number
        let since = try IssueFilter.since(call.query["since"])
        let comments = repository.comments.filter { comment in
            comment.issueNumber == number && since.map { comment.updatedAt >= $0 } ?? true
        }
        let shapes = call.shapes(of: world)
        let path = "\(shapes.permanentPath(of: repository))/issues/\(number)/comments"
        return .page(of: comments, at: path, call) { shapes.comment($0, in: repository) }
    }

    static func show(_ world: inout World, _ call: Call) throws(Refusal) -> Reply {
        let (index, position) = try find(call, in: world)
        let repository = world.repositories[index]
        return .ok(
            call.shapes(of: world).comment(repository.comments[position], in: repository),
            lastModified: repository.comments[position].updatedAt)
    }

    static func create(_ world: inout World, _ call: Call) throws(Refusal) -> Reply {
        let (index, position) = try world.issueIndex(call)
        let body = try text(call)
        let now = world.clock.tick()
        let comment = Comment(
            id: world.newIdentifier(), issueNumber: world.repositories[index].issues[position].number, body: body,
            userID: call.viewer.userID ?? world.viewerID, createdAt: now, updatedAt: now)
        world.repositories[index].comments.append(comment)
        world.repositories[index].issues[position].updatedAt = now
        let shapes = call.shapes(of: world)
        let repository = world.repositories[index]
        return .created(
            shapes.comment(comment, in: repository), at: shapes.api(shapes.path(of: comment, in: repository)))
    }

    static func edit(_ world: inout World, _ call: Call) throws(Refusal) -> Reply {
        let (index, position) = try find(call, in: world)
        let body = try text(call)
        let now = world.clock.tick()
        world.repositories[index].comments[position].body = body
        world.repositories[index].comments[position].updatedAt = now
        let repository = world.repositories[index]
        return .ok(call.shapes(of: world).comment(repository.comments[position], in: repository))
    }

    static func delete(_ world: inout World, _ call: Call) throws(Refusal) -> Reply {
        let (index, position) = try find(call, in: world)
        let comment = world.repositories[index].comments.remove(at: position)
        let now = world.clock.tick()
        if let issue = world.repositories[index].issues.firstIndex(where: { $0.number == comment.issueNumber }) {
            world.repositories[index].issues[issue].updatedAt = now
        }
        return .noContent
    }

    private static func find(_ call: Call, in world: World) throws(Refusal) -> (repository: Int, comment: Int) {
        let index = try world.issuesIndex(call)
        let id = try call.number("id")
        guard let comment = world.repositories[index].comments.firstIndex(where: { $0.id == id }) else {
            throw .notFound
        }
        return (index, comment)
    }

    private static func text(_ call: Call) throws(Refusal) -> String {
        guard let body = try Input(call).string("body") else { throw .validation(.missing("IssueComment", "body")) }
        guard !body.allSatisfy(\.isWhitespace) else {
            throw .validation(
                Refusal.FieldError(
                    resource: "IssueComment", field: "data", code: "unprocessable", message: "Body cannot be blank"))
        }
        return body
    }
}
