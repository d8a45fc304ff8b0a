/// Requests have logins, a milestone's number and names of labels (or objects with a name), unlike replies. So an issue
/// from a reply is refused.
struct IssueInput: Sendable {
    private let title: String?
    private let body: Sent<String>
    private let state: String?
    private let reason: Sent<String>
    private let labels: [String]?
    private let assignees: [String]?
    private let milestone: Sent<Int>
    private let isNew: Bool

    init(_ call: Call, isNew: Bool) throws(Refusal) {
        let input = try Input(call)
        title = try IssueInput.title(input)
        body = try input.nullableString("body")
        state = isNew ? nil : try input.string("state")
        reason = isNew ? .nothing : try input.nullableString("state_reason")
        labels = try LabelNames(input).names
        assignees = try IssueInput.assignees(input)
        milestone = try input.nullableNumber("milestone")
        self.isNew = isNew
    }

    /// Throws 422 with all mistakes.
    func validate(in repository: Repository, of world: World) throws(Refusal) {
        var errors: [Refusal.FieldError] = []
        if title.map({ $0.allSatisfy(\.isWhitespace) }) ?? isNew { errors.append(.missing("Issue", "title")) }
        if let state, OpenState(rawValue: state) == nil {
            errors.append(.invalid("Issue", "state", value: .string(state)))
        }
        if case .value(let text) = reason, Issue.Reason(rawValue: text) == nil {
            errors.append(.invalid("Issue", "state_reason", value: .string(text)))
        }
        for login in assignees ?? [] where world.user(login: login) == nil {
            errors.append(.invalid("Issue", "assignees", value: .string(login)))
        }
        if case .value(let number) = milestone, !repository.milestones.contains(where: { $0.number == number }) {
            errors.append(.invalid("Issue", "milestone", value: .integer(number)))
        }
        for name in labels ?? [] where name.isEmpty { errors.append(.missing("Label", "name")) }
        if !errors.isEmpty { throw .validation(errors) }
    }

    /// Creates the labels that the repository lacks.
    func apply(to issue: inout Issue, in index: Int, of world: inout World, by user: Int?, at now: Timestamp) {
        issue.title = title ?? issue.title
        body.assign(to: &issue.body)
        milestone.assign(to: &issue.milestoneNumber)
        if let assignees { issue.assigneeIDs = assignees.compactMap { world.user(login: $0)?.id }.removingDuplicates() }
        if let labels { issue.labelIDs = world.labelIDs(named: labels, in: index) }
        applyState(to: &issue, by: user, at: now)
    }

    private func applyState(to issue: inout Issue, by user: Int?, at now: Timestamp) {
        var reason: Issue.Reason?
        if case .value(let text) = self.reason { reason = Issue.Reason(rawValue: text) }
        switch state.flatMap(OpenState.init) {
        case .closed: issue.close(reason, by: user, at: now)
        case .open: issue.reopen()
        case nil:
            if let reason, issue.state == .closed { issue.reason = reason }
        }
    }

    /// May be a number.
    private static func title(_ input: Input) throws(Refusal) -> String? {
        switch input.object["title"] {
        case nil: return nil
        case .string(let title)?: return title
        case .integer(let number)?: return String(number)
        case .null?: return ""
        case let value?: throw .wrongType("properties/title", value, expected: "a string or integer")
        }
    }

    /// Or the older `assignee`.
    private static func assignees(_ input: Input) throws(Refusal) -> [String]? {
        let single = try input.nullableString("assignee")
        if let logins = try input.strings("assignees") { return logins }
        switch single {
        case .nothing: return nil
        case .null: return []
        case .value(let login): return login.isEmpty ? [] : [login]
        }
    }
}
