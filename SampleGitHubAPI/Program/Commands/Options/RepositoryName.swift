import ArgumentParser

/// `octocat/Hello-World`, optionally with its host, or its address.
struct RepositoryName: ExpressibleByArgument {
    let fullName: String

    init?(argument: String) {
        var parts = argument.replacing(#/^https?:\/\//#, with: "").split(
            separator: "/", omittingEmptySubsequences: false)
        if parts.count == 3 { parts.removeFirst() }  // its host
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." }) else { return nil }
        fullName = parts.joined(separator: "/")
    }

    static let help: ArgumentHelp = ArgumentHelp("The repository, unless -R names it.", valueName: "owner/name")
}
