import ArgumentParser
import RestfulData

struct IssueFilter: ParsableArguments {
    @Option(name: .shortAndLong, help: "Which ones.") var state = StateFilter.open
    @Option(
        name: .shortAndLong, help: "A label that they have; repeat it, or set commas, for several.",
        completion: .custom(StoredNames.labels))
    var label: [String] = []
    @Option(
        name: .shortAndLong, help: "Whom they are assigned to; @me is whom the token belongs to.",
        completion: .custom(StoredNames.users))
    var assignee: String?
    @Option(name: [.customShort("A"), .long], help: "Who opened them.", completion: .custom(StoredNames.users))
    var author: String?
    @Option(
        name: .shortAndLong, help: "The milestone, by its number or title.",
        completion: .custom(StoredNames.milestones))
    var milestone: String?
    @Option(name: [.customShort("S"), .long], help: "Words to search for, and GitHub's own qualifiers.")
    var search: String?

    var labels: [String] { label.commaSeparated }

    /// A list takes a milestone's number.
    func query(_ milestone: Milestone?) -> RouteQuery {
        [
            "state": state, "labels": labels.isEmpty ? nil : labels.joined(separator: ","), "assignee": assignee,
            "creator": author, "milestone": milestone?.number,
        ]
    }

    /// For the API and the web site.
    var searchText: String {
        let qualifiers = [
            state == .all ? nil : "state:\(state)", assignee.map { "assignee:\($0)" }, author.map { "author:\($0)" },
            milestone.map { "milestone:\"\($0)\"" }, search,
        ]
        return (["is:issue"] + labels.map { "label:\"\($0)\"" } + qualifiers.compactMap(\.self))
            .joined(separator: " ")
    }

    var namesMe: Bool { [assignee, author].contains("@me") }

    /// Lists don't support `@me`.
    mutating func name(me login: String) {
        if assignee == "@me" { assignee = login }
        if author == "@me" { author = login }
    }

    /// As far as the store can tell. A search becomes its words.
    func admits(_ issue: Issue) -> Bool {
        let text = "\(issue.title)\n\(issue.body ?? "")".lowercased()
        let hasLabels = labels.allSatisfy { name in issue.labelNames.contains { $0.isName(name) } }
        let isAssigned = assignee.map { name in issue.assignees.contains { $0.login.isName(name) } } ?? true
        let isByAuthor = author.map { issue.user?.login.isName($0) == true } ?? true
        return state.admits(issue.state) && hasLabels && isAssigned && isByAuthor
            && (milestone.map { issue.milestone?.title == $0 || issue.milestone?.number.map(String.init) == $0 } ?? true)
            && (search?.lowercased().split(separator: " ").allSatisfy { text.contains($0) } ?? true)
    }
}

extension [String] {
    /// As in `gh`.
    var commaSeparated: [String] {
        flatMap { $0.split(separator: ",") }.map { String($0.trimmingPrefix(while: \.isWhitespace)) }
    }
}
