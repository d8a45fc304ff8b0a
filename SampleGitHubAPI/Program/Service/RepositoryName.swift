import ArgumentParser

/// `octocat/Hello-World`, as an argument.
struct RepositoryName: ExpressibleByArgument {
    let fullName: String

    init?(argument: String) {
        let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." }) else { return nil }
        fullName = argument
    }

    static let help: ArgumentHelp = ArgumentHelp("The repository.", valueName: "owner/name")
}
