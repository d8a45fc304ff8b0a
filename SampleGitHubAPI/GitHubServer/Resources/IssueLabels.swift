/// `/repos/:owner/:repo/issues/:number/labels`. Replies have the labels of the issue.
enum IssueLabels {
    static func list(_ world: inout World, _ call: Call) throws(Refusal) -> Reply {
        let (index, position) = try world.issueIndex(call)
        let repository = world.repositories[index]
        let issue = repository.issues[position]
        let shapes = call.shapes(of: world)
        let path = "\(shapes.permanentPath(of: repository))/issues/\(issue.number)/labels"
        return .page(of: shapes.labels(of: issue, in: repository), at: path, call) { $0 }
    }

    static func add(_ world: inout World, _ call: Call) throws(Refusal) -> Reply {
        try change(&world, call) { present, named in (present + named).removingDuplicates() }
    }

    static func replace(_ world: inout World, _ call: Call) throws(Refusal) -> Reply {
        try change(&world, call) { _, named in named }
    }

    static func removeAll(_ world: inout World, _ call: Call) throws(Refusal) -> Reply {
        let (index, position) = try world.issueIndex(call)
        set([], of: position, in: index, &world)
        return .noContent
    }

    static func remove(_ world: inout World, _ call: Call) throws(Refusal) -> Reply {
        let (index, position) = try world.issueIndex(call)
        let present = world.repositories[index].issues[position].labelIDs
        guard let label = world.repositories[index].label(named: call.parameter("name")), present.contains(label.id)
        else {
            throw .labelDoesNotExist
        }
        set(present.filter { $0 != label.id }, of: position, in: index, &world)
        return answer(call, of: position, in: index, world)
    }

    private static func change(
        _ world: inout World, _ call: Call, combining combine: (_ present: [Int], _ named: [Int]) -> [Int]
    ) throws(Refusal) -> Reply {
        let (index, position) = try world.issueIndex(call)
        let names = try LabelNames(body: call).names ?? []
        let named = world.labelIDs(named: names, in: index)
        set(combine(world.repositories[index].issues[position].labelIDs, named), of: position, in: index, &world)
        return answer(call, of: position, in: index, world)
    }

    private static func set(_ ids: [Int], of position: Int, in index: Int, _ world: inout World) {
        world.repositories[index].issues[position].labelIDs = ids
        world.repositories[index].issues[position].updatedAt = world.clock.tick()
    }

    private static func answer(_ call: Call, of position: Int, in index: Int, _ world: World) -> Reply {
        let repository = world.repositories[index]
        return .ok(.array(call.shapes(of: world).labels(of: repository.issues[position], in: repository)))
    }
}
