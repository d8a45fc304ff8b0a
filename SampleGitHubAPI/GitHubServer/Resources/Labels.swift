/// `/repos/:owner/:repo/labels`.
enum Labels {
    static func list(_ world: inout World, _ call: Call) throws(Refusal) -> Reply {
        let repository = world.repositories[try world.repositoryIndex(call)]
        let shapes = call.shapes(of: world)
        return .page(of: repository.labels, at: shapes.permanentPath(of: repository) + "/labels", call) {
            shapes.label($0, in: repository)
        }
    }

    static func show(_ world: inout World, _ call: Call) throws(Refusal) -> Reply {
        let (index, position) = try find(call, in: world)
        let repository = world.repositories[index]
        return .ok(call.shapes(of: world).label(repository.labels[position], in: repository))
    }

    static func create(_ world: inout World, _ call: Call) throws(Refusal) -> Reply {
        let index = try world.repositoryIndex(call)
        let input = try Input(call)
        var label = Label(id: world.newIdentifier(), name: try input.string("name") ?? "")
        try apply(input, to: &label)
        try validate(label, in: world.repositories[index])
        world.repositories[index].labels.append(label)
        _ = world.clock.tick()
        let shapes = call.shapes(of: world)
        let repository = world.repositories[index]
        return .created(shapes.label(label, in: repository), at: shapes.api(shapes.path(of: label, in: repository)))
    }

    static func edit(_ world: inout World, _ call: Call) throws(Refusal) -> Reply {
        let (index, position) = try find(call, in: world)
        let input = try Input(call)
        var label = world.repositories[index].labels[position]
        label.name = try input.string("new_name") ?? label.name
        try apply(input, to: &label)
        try validate(label, in: world.repositories[index])
        world.repositories[index].labels[position] = label
        _ = world.clock.tick()
        return .ok(call.shapes(of: world).label(label, in: world.repositories[index]))
    }

    static func delete(_ world: inout World, _ call: Call) throws(Refusal) -> Reply {
        let (index, position) = try find(call, in: world)
        let label = world.repositories[index].labels.remove(at: position)
        for issue in world.repositories[index].issues.indices {
            world.repositories[index].issues[issue].labelIDs.removeAll { $0 == label.id }
        }
        _ = world.clock.tick()
        return .noContent
    }

    private static func find(_ call: Call, in world: World) throws(Refusal) -> (repository: Int, label: Int) {
        let index = try world.repositoryIndex(call)
        let repository = world.repositories[index]
        guard let id = repository.label(named: call.parameter("name"))?.id,
            let label = repository.labels.firstIndex(where: { $0.id == id })
        else { throw .notFound }
        return (index, label)
    }

    private static func apply(_ input: Input, to label: inout Label) throws(Refusal) {
        label.color = try input.string("color")?.lowercased() ?? label.color
        try input.nullableString("description").assign(to: &label.description)
    }

    private static func validate(_ label: Label, in repository: Repository) throws(Refusal) {
        var errors: [Refusal.FieldError] = []
        if label.name.isEmpty { errors.append(.missing("Label", "name")) }
        if let other = repository.label(named: label.name), other.id != label.id {
            errors.append(.exists("Label", "name"))
        }
        if label.color.count != 6 || !label.color.allSatisfy({ $0.isASCII && $0.isHexDigit }) {
            errors.append(.invalid("Label", "color"))
        }
        if (label.description ?? "").unicodeScalars.count > 100 {
            let message = "description is too long (maximum is 100 characters)"
            errors.append(
                Refusal.FieldError(resource: "Label", field: "description", code: "custom", message: message))
        }
        if !errors.isEmpty { throw .validation(errors) }
    }
}
