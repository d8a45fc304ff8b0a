enum DemoRepositories {
    /// Hello-World, Spoon-Knife and small ones.
    static func octocats(count: Int) -> [Repository] {
        (0..<count).map { index in
            var repository = octocats(index)
            repository.labels = DemoLabels.all(in: repository)
            return repository
        }
    }

    static let monalisas: Repository = {
        var repository = new(id: 1_300_200, "smile", "A study of expressions", owner: DemoUsers.monalisa, at: 400)
        repository.language = "Python"
        repository.stars = 7
        return repository
    }()

    private static func octocats(_ index: Int) -> Repository {
        switch index {
        case 0: helloWorld
        case 1: spoonKnife
        default: small(index)
        }
    }

    private static let helloWorld: Repository = {
        var repository = new(id: 1_296_269, "Hello-World", "My first repository on GitHub!", at: 0)
        repository.homepage = "https://hello-world.example.com"
        repository.language = "Swift"
        repository.topics = ["octocat", "hello", "api"]
        (repository.size, repository.stars, repository.forks, repository.subscribers) = (108, 2_980, 2_512, 1_731)
        repository.hasDiscussions = true
        return repository
    }()

    private static let spoonKnife: Repository = {
        var repository = new(
            id: 1_300_192, "Spoon-Knife", "This repo is for demonstration purposes only.", at: 1)
        repository.language = "HTML"
        repository.license = nil
        (repository.size, repository.stars, repository.forks, repository.subscribers) = (2, 12_700, 148_000, 345)
        return repository
    }()

    /// Every third lacks a description, every fourth a language.
    private static func small(_ index: Int) -> Repository {
        let name = "\(materials[index % materials.count])-\(things[index / materials.count % things.count])"
        let round = index / (materials.count * things.count)
        var repository = new(
            id: 1_300_200 + index * 11, round == 0 ? name : "\(name)-\(round + 1)",
            index % 3 == 0 ? nil : "The \(name.split(separator: "-").joined(separator: " ")), in code", at: index * 37)
        repository.language = index % 4 == 0 ? nil : ["Swift", "Ruby", "Go"][index % 3]
        repository.license = index % 5 == 0 ? nil : .mit
        (repository.size, repository.stars, repository.forks) = (index * 13, index * index % 97, index % 6)
        return repository
    }

    private static let materials = ["copper", "paper", "glass", "linen", "amber", "cedar", "slate"]
    private static let things = ["anchor", "bridge", "compass", "drum", "engine"]

    private static func new(
        id: Int, _ name: String, _ description: String?, owner: Int = DemoUsers.octocat, at day: Int
    ) -> Repository {
        let created = Timestamp(seconds: 1_296_068_472).adding(days: day)
        return Repository(
            id: id, name: name, ownerID: owner, description: description, license: .mit, createdAt: created,
            updatedAt: created.adding(days: 2_000, hours: day), pushedAt: created.adding(days: 1_500),
            collaboratorIDs: owner == DemoUsers.octocat ? [DemoUsers.hubot] : [])
    }
}
