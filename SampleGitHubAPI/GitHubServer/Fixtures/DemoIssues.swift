enum DemoIssues {
    /// The newest issues are pull requests.
    static func filled(_ repository: Repository, issues: Int, pullRequests: Int = 0) -> Repository {
        var repository = repository
        repository.labels = DemoLabels.all(in: repository)
        repository.milestones = DemoMilestones.all(in: repository)
        repository.lastMilestoneNumber = repository.milestones.count
        for number in 1..<(issues + pullRequests + 1) {
            let comments = DemoComments.all(on: number, in: repository)
            var issue = issue(number, in: repository)
            issue.isPullRequest = number > issues
            issue.updatedAt = max(issue.updatedAt, comments.last?.updatedAt ?? issue.updatedAt)
            repository.issues.append(issue)
            repository.comments += comments
        }
        return repository
    }

    /// Issue n was opened on the nth third day.
    static func opened(_ number: Int, in repository: Repository) -> Timestamp {
        repository.createdAt.adding(days: number * 3, minutes: number * 7 % 1_440)
    }

    private static func issue(_ number: Int, in repository: Repository) -> Issue {
        let opened = opened(number, in: repository)
        var issue = Issue(
            id: 3_000_000_000 + repository.id * 100 + number * 17, number: number, title: title(number),
            body: body(number), userID: author(number), createdAt: opened, updatedAt: opened)
        issue.labelIDs = labels(number, in: repository)
        issue.assigneeIDs = assignees(number)
        issue.milestoneNumber = [nil, 1, 2, nil, 3][number % 5]
        if number % 3 == 0 {
            let closed = opened.adding(days: 1 + number % 9, hours: number % 24)
            issue.close(number % 4 == 0 ? .notPlanned : .completed, by: DemoUsers.octocat, at: closed)
            issue.updatedAt = closed
        }
        return issue
    }

    private static func title(_ number: Int) -> String {
        if number == 1 { return "Found a bug" }
        let (row, column) = (number - 1).quotientAndRemainder(dividingBy: parts.count)
        let title = "\(parts[column]) \(complaints[(number + row) % complaints.count])"
        let round = row / complaints.count
        return round == 0 ? title : "\(title), again (\(round + 1))"
    }

    /// In Markdown; nil for every seventh issue.
    private static func body(_ number: Int) -> String? {
        if number == 1 { return "I'm having a problem with this." }
        if number % 7 == 0 { return nil }
        return """
            ### What happened
            \(title(number)) when I say "hello" \(number) times.

            ```swift
            print("Hello, World" + String(repeating: "!", count: \(number)))
            ```
            """
    }

    /// Of issue 13, the account is gone.
    private static func author(_ number: Int) -> Int? {
        number == 13 ? nil : [DemoUsers.octocat, DemoUsers.hubot, DemoUsers.monalisa][number % 3]
    }

    private static func labels(_ number: Int, in repository: Repository) -> [Int] {
        if number == 1 { return [repository.labels[0].id] }
        return (0..<number % 4).map { repository.labels[(number + $0 * 5) % repository.labels.count].id }
            .removingDuplicates()
    }

    private static func assignees(_ number: Int) -> [Int] {
        switch number % 6 {
        case 1: [DemoUsers.octocat]
        case 4: [DemoUsers.hubot, DemoUsers.octocat]
        default: []
        }
    }

    private static let parts = [
        "The greeting", "The farewell", "The parser", "The build", "The documentation", "Windows", "The tail",
        "The tests", "The menu", "Café mode", "The log", "The cache", "Retrying",
    ]

    private static let complaints = [
        "is too quiet", "crashes", "has a typo", "takes forever", "should be optional",
    ]
}
