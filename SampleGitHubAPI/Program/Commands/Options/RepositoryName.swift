import ArgumentParser

/// `octocat/Hello-World`, or the address of that repository, as an argument.
struct RepositoryName: ExpressibleByArgument {
    let fullName: String

    init?(argument: String) {
        let path = argument.replacing(#/^https?:\/\/[^\/]+\//#, with: "")
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." }) else { return nil }
        fullName = path
    }

    static let help: ArgumentHelp = ArgumentHelp("The repository, unless -R names it.", valueName: "owner/name")
}
