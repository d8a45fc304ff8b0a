/// As in `crash repo:octocat/Hello-World state:open label:"good first issue"`.
struct SearchTerms: Sendable {
    private var words: [String] = []
    private var qualifiers: [(name: String, value: String)] = []

    init(_ text: String) {
        for term in SearchTerms.split(text) {
            let halves = term.split(separator: ":", maxSplits: 1)
            if halves.count == 2, SearchTerms.names.contains(halves[0].lowercased()) {
                qualifiers.append((halves[0].lowercased(), halves[1].lowercased()))
            } else {
                words.append(term.lowercased())
            }
        }
    }

    private static let names: Set = [
        "repo", "user", "state", "is", "type", "label", "author", "assignee", "milestone",
    ]

    func admit(_ issue: Issue, in repository: Repository, of world: World) -> Bool {
        let text = "\(issue.title)\n\(issue.body ?? "")".lowercased()
        return words.allSatisfy(text.contains)
            && qualifiers.allSatisfy { admits(issue, by: $0, in: repository, of: world) }
    }

    private func admits(
        _ issue: Issue, by qualifier: (name: String, value: String), in repository: Repository, of world: World
    ) -> Bool {
        let value = qualifier.value
        return switch qualifier.name {
        case "repo": world.fullName(of: repository).lowercased() == value
        case "user": world.user(login: value)?.id == repository.ownerID
        case "label": repository.label(named: value).map { issue.labelIDs.contains($0.id) } ?? false
        case "author": issue.userID != nil && world.user(login: value)?.id == issue.userID
        case "assignee": world.user(login: value).map { issue.assigneeIDs.contains($0.id) } ?? false
        case "milestone":
            repository.milestones.contains { $0.title.lowercased() == value && $0.number == issue.milestoneNumber }
        default: value == (issue.isPullRequest ? "pr" : "issue") || issue.state.rawValue == value
        }
    }

    /// At spaces outside of quotation marks, which are dropped.
    private static func split(_ text: String) -> [String] {
        var terms = [""]
        var isQuoted = false
        for character in text {
            switch character {
            case "\"": isQuoted.toggle()
            case " " where !isQuoted: terms.append("")
            default: terms[terms.count - 1].append(character)
            }
        }
        return terms.filter { !$0.isEmpty }
    }
}
