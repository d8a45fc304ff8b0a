struct IssueFilter: Sendable {
    private let state: OpenState?
    private let labelIDs: [Int?]
    private let milestone: Wanted
    private let assignee: Wanted
    private let creator: Wanted
    private let since: Timestamp?
    private let sort: String
    private let ascending: Bool

    private enum Wanted: Sendable {
        case anything, something, nothing
        /// nil for issues that lack the property.
        case exactly(Int?)

        func admits(_ values: [Int]) -> Bool {
            switch self {
            case .anything: true
            case .something: !values.isEmpty
            case .nothing: values.isEmpty
            case .exactly(let value): value.map(values.contains) ?? false
            }
        }
    }

    /// Throws 422 for an unknown state, milestone, order or date.
    init(_ query: Query, in repository: Repository, of world: World) throws(Refusal) {
        let state = query["state"] ?? "open"
        guard state == "all" || OpenState(rawValue: state) != nil else {
            throw .validation(.invalid("Issue", "state", value: .string(state)))
        }
        self.state = OpenState(rawValue: state)
        labelIDs = (query["labels"] ?? "").split(separator: ",").map { repository.label(named: String($0))?.id }
        milestone = try IssueFilter.milestone(query["milestone"], in: repository)
        assignee = IssueFilter.user(query["assignee"], of: world)
        creator = IssueFilter.user(query["creator"], of: world)
        since = try IssueFilter.since(query["since"])
        sort = query["sort"] ?? "created"
        guard ["created", "updated", "comments"].contains(sort) else {
            throw .validation(.invalid("Issue", "sort", value: .string(sort)))
        }
        ascending = query["direction"] == "asc"
        commentCounts = sort == "comments" ? IssueFilter.commentCounts(repository) : [:]
    }

    private let commentCounts: [Int: Int]

    func apply(to issues: [Issue]) -> [Issue] {
        let sorted = issues.filter(admits).sorted { left, right in
            switch sort {
            case "updated": (left.updatedAt, left.number) < (right.updatedAt, right.number)
            case "comments":
                (commentCounts[left.number, default: 0], left.number)
                    < (commentCounts[right.number, default: 0], right.number)
            default: (left.createdAt, left.number) < (right.createdAt, right.number)
            }
        }
        return ascending ? sorted : sorted.reversed()
    }

    private func admits(_ issue: Issue) -> Bool {
        (state == nil || issue.state == state)
            && labelIDs.allSatisfy { id in id.map(issue.labelIDs.contains) ?? false }
            && milestone.admits(issue.milestoneNumber.map { [$0] } ?? [])
            && assignee.admits(issue.assigneeIDs)
            && creator.admits(issue.userID.map { [$0] } ?? [])
            && since.map { issue.updatedAt >= $0 } ?? true
    }

    private static func commentCounts(_ repository: Repository) -> [Int: Int] {
        repository.comments.reduce(into: [:]) { $0[$1.issueNumber, default: 0] += 1 }
    }

    private static func milestone(_ text: String?, in repository: Repository) throws(Refusal) -> Wanted {
        switch text {
        case nil: return .anything
        case "*"?: return .something
        case "none"?: return .nothing
        case let text?:
            guard let number = Int(text), repository.milestones.contains(where: { $0.number == number }) else {
                throw .validation(.invalid("Issue", "milestone", value: .string(text)))
            }
            return .exactly(number)
        }
    }

    private static func user(_ text: String?, of world: World) -> Wanted {
        switch text {
        case nil: .anything
        case "*"?: .something
        case "none"?: .nothing
        case let login?: .exactly(world.user(login: login)?.id)
        }
    }

    /// Throws 422 for an invalid date.
    static func since(_ text: String?) throws(Refusal) -> Timestamp? {
        guard let text else { return nil }
        guard let since = Timestamp(iso8601: text) else {
            throw .validation(.invalid("Issue", "since", value: .string(text)))
        }
        return since
    }
}
