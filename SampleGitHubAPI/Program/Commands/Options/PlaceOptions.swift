import ArgumentParser
import Foundation

/// `-R octocat/Hello-World`, GH_REPO, or the first argument.
struct PlaceOptions: ParsableArguments {
    @Option(
        name: [.customShort("R"), .long], help: ArgumentHelp("The repository.", valueName: "owner/name"),
        completion: .custom(StoredNames.repositories))
    var repo: RepositoryName?

    /// An object in a repository.
    struct Place {
        let repository: RepositoryName
        let name: String
    }

    func repository(or argument: RepositoryName?) throws -> RepositoryName {
        if let name = argument ?? repo { return name }
        guard let text = ProcessInfo.processInfo.environment["GH_REPO"], !text.isEmpty else {
            throw ValidationError("Which repository? Say owner/name, with -R before it or without, or set GH_REPO.")
        }
        guard let name = RepositoryName(argument: text) else {
            throw ValidationError("GH_REPO is '\(text)', which names no repository; write it as owner/name.")
        }
        return name
    }

    /// `bug -R octocat/Hello-World`, or `octocat/Hello-World bug`.
    func place(_ words: [String]) throws -> Place {
        guard let name = words.last, words.count <= 2 else {
            throw ValidationError("One is wanted, and its repository: NAME -R owner/name, or owner/name NAME.")
        }
        guard words.count == 2 else { return Place(repository: try repository(or: nil), name: name) }
        guard let repository = RepositoryName(argument: words[0]) else {
            throw ValidationError("'\(words[0])' names no repository; write it as owner/name.")
        }
        return Place(repository: repository, name: name)
    }
}

struct RepositoryArguments: ParsableArguments {
    @Argument(help: RepositoryName.help, completion: .custom(StoredNames.repositories)) var name: RepositoryName?
    @OptionGroup var options: PlaceOptions

    var repository: RepositoryName {
        get throws { try options.repository(or: name) }
    }

    func validate() throws { _ = try repository }
}
