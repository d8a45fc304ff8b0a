/// The initial data of a server.
///
/// All of it is invented, and equal each time: names, dates and identifiers depend only on the counts.
public struct Fixtures: Sendable {
    let users: [User]
    let repositories: [Repository]

    /// Three accounts. octocat has 35 repositories; octocat/Hello-World has 65 issues, labels with spaces, slashes and
    /// emoji in their names, milestones and comments. monalisa has one repository, hubot has zero.
    public static let demo = Fixtures.demo(repositories: 35, issues: 65)

    /// Three accounts and zero repositories.
    public static let empty = Fixtures(users: DemoUsers.all, repositories: [])

    /// The demo world in another size.
    ///
    /// - Parameters:
    ///   - repositories: how many repositories octocat has, at least one: the first is Hello-World.
    ///   - issues: how many issues Hello-World has.
    ///   - pullRequests: how many pull requests were opened there after them.
    public static func demo(repositories: Int, issues: Int, pullRequests: Int = 0) -> Fixtures {
        var all = DemoRepositories.octocats(count: max(1, repositories))
        all[0] = DemoIssues.filled(all[0], issues: max(0, issues), pullRequests: max(0, pullRequests))
        if all.count > 1 { all[1] = DemoIssues.filled(all[1], issues: 4) }
        all.append(DemoIssues.filled(DemoRepositories.monalisas, issues: 3))
        return Fixtures(users: DemoUsers.all, repositories: all)
    }
}
