/// `/users/:login/repos` and `/repos/:owner/:repo`.
enum Repositories {
    static func list(_ world: inout World, _ call: Call) throws(Refusal) -> Reply {
        guard let owner = world.user(login: call.parameter("login")) else { throw .notFound }
        let shapes = call.shapes(of: world)
        let kind = call.query["type"] ?? "owner"
        let repositories = world.repositories.filter { repository in
            let isOwner = repository.ownerID == owner.id
            let isMember = repository.collaboratorIDs.contains(owner.id)
            return kind == "all" ? isOwner || isMember : kind == "member" ? isMember : isOwner
        }
        return .page(of: sorted(repositories, call.query), at: "/user/\(owner.id)/repos", call) {
            shapes.minimalRepository($0)
        }
    }

    static func show(_ world: inout World, _ call: Call) throws(Refusal) -> Reply {
        let repository = world.repositories[try world.repositoryIndex(call)]
        return .ok(call.shapes(of: world).fullRepository(repository), lastModified: repository.updatedAt)
    }

    static func edit(_ world: inout World, _ call: Call) throws(Refusal) -> Reply {
        let index = try world.repositoryIndex(call)
        let input = try Input(call)
        if let name = try input.string("name"), name != world.repositories[index].name {
            try rename(repositoryAt: index, to: name, in: &world)
        }
        try apply(input, to: &world.repositories[index])
        world.repositories[index].updatedAt = world.clock.tick()
        return .ok(call.shapes(of: world).fullRepository(world.repositories[index]))
    }

    private static func rename(repositoryAt index: Int, to name: String, in world: inout World) throws(Refusal) {
        let isValid = !name.isEmpty && name.utf8.count <= 100 && name.allSatisfy(isNameCharacter)
        guard isValid else { throw .validation(.invalid("Repository", "name", value: .string(name))) }
        let owner = world.user(world.repositories[index].ownerID)?.login ?? ""
        if let other = world.repositoryIndex(owner: owner, name: name), !other.isFormerName, other.index != index {
            let message = "name already exists on this account"
            throw .validation(
                Refusal.FieldError(resource: "Repository", field: "name", code: "custom", message: message))
        }
        world.rename(repositoryAt: index, to: name)
    }

    private static func isNameCharacter(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || "-_.".contains(character))
    }

    private static func apply(_ input: Input, to repository: inout Repository) throws(Refusal) {
        try input.nullableString("description").assign(to: &repository.description)
        try input.nullableString("homepage").assign(to: &repository.homepage)
        repository.defaultBranch = try input.string("default_branch") ?? repository.defaultBranch
        repository.isPrivate = try input.boolean("private") ?? repository.isPrivate
        repository.isArchived = try input.boolean("archived") ?? repository.isArchived
        repository.isTemplate = try input.boolean("is_template") ?? repository.isTemplate
        repository.hasIssues = try input.boolean("has_issues") ?? repository.hasIssues
        repository.hasProjects = try input.boolean("has_projects") ?? repository.hasProjects
        repository.hasWiki = try input.boolean("has_wiki") ?? repository.hasWiki
        repository.hasDiscussions = try input.boolean("has_discussions") ?? repository.hasDiscussions
    }

    private static func sorted(_ repositories: [Repository], _ query: Query) -> [Repository] {
        let sort = query["sort"] ?? "full_name"
        let ascending = (query["direction"] ?? (sort == "full_name" ? "asc" : "desc")) == "asc"
        let sorted = repositories.sorted { left, right in
            switch sort {
            case "created": (left.createdAt, left.id) < (right.createdAt, right.id)
            case "updated": (left.updatedAt, left.id) < (right.updatedAt, right.id)
            case "pushed": (left.pushedAt, left.id) < (right.pushedAt, right.id)
            default: left.name.lowercased() < right.name.lowercased()
            }
        }
        return ascending ? sorted : sorted.reversed()
    }
}
