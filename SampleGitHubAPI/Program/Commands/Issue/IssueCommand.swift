import ArgumentParser

struct IssueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "issue", abstract: "List issues, show one, open one, change or delete it.",
        subcommands: [
            IssueList.self, IssueView.self, IssueCreate.self, IssueEdit.self, IssueClose.self, IssueReopen.self,
            IssueComment.self, IssueDelete.self,
        ])
}

struct IssueArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "`7 -R owner/name`, `owner/name 7`, `owner/name#7`, or the issue's address.", valueName: "issue"),
        completion: .custom(StoredNames.issues))
    var words: [String]
    @OptionGroup var place: PlaceOptions

    var reference: IssueReference {
        get throws {
            if words.count == 1, let reference = IssueReference(words[0]) { return reference }
            let place = try place.place(words)
            guard let number = Int(place.name.trimmingPrefix("#")) else {
                throw ValidationError("'\(place.name)' is no issue's number.")
            }
            return IssueReference(repository: place.repository, number: number)
        }
    }

    func validate() throws { _ = try reference }

    @MainActor func fetch(_ gitHub: GitHub) async throws -> Issue { try await gitHub.issue(reference) }
}

/// `octocat/Hello-World#7`
struct IssueReference: CustomStringConvertible {
    let repository: RepositoryName
    let number: Int

    var description: String { "\(repository.fullName)#\(number)" }
}

extension IssueReference {
    /// Also reads the issue's address.
    init?(_ text: String) {
        guard let parts = text.wholeMatch(of: #/(.+?)(?:#|\/issues\/)(\d+)/#),
            let repository = RepositoryName(argument: String(parts.1)), let number = Int(parts.2)
        else { return nil }
        self.init(repository: repository, number: number)
    }
}
