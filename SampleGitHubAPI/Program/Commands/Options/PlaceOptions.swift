import ArgumentParser
import Foundation

/// The repository of a command's object: `-R octocat/Hello-World` or GH_REPO, as with `gh`, or the first argument.
struct PlaceOptions: ParsableArguments {
    @Option(
        name: [.customShort("R"), .long], help: ArgumentHelp("The repository.", valueName: "owner/name"),
        completion: .custom(StoredNames.repositories))
    var repo: RepositoryName?

    /// The repository and the name of one object in it.
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

    /// Reads `bug -R octocat/Hello-World`, or `octocat/Hello-World bug`.
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

/// Which repository a command is about.
struct RepositoryArguments: ParsableArguments {
    @Argument(help: RepositoryName.help, completion: .custom(StoredNames.repositories)) var name: RepositoryName?
    @OptionGroup var options: PlaceOptions

    var repository: RepositoryName {
        get throws { try options.repository(or: name) }
    }

    func validate() throws { _ = try repository }
}
