import Foundation

/// The generated bodies, the same bytes every time.
///
/// - `issues.json`: 10,000 issues of 30 keys, with 1,000 users, 50 labels and 20 milestones nested in them.
/// - `issues-1pct.json`: the same, 100 of them with another title and `updated_at`.
/// - `one.json`, `one-changed.json`: one of the issues with two different titles.
/// - `repos.json`: 20,000 repositories of 37 keys with 2,000 owners.
/// - `linked-issues.json`: the issues again, each with one of 100 repositories nested in it too.
/// - `flat-issues.json`, `flat-users.json`, `flat-labels.json`, `flat-milestones.json`, `flat-repositories.json`: the
///   same objects, each once, unnested.
/// - `ids.txt`: the ids of the issues, shuffled.
/// - `store.json`: the last output of `writeStore`.
struct BodyFolder {
    let url: URL
    private static let seed: UInt64 = 1_816
    private static let issueCount = 10_000
    /// The last file to be written: where it is, all are.
    private static let last = "ids.txt"

    func load(_ name: String) throws -> Data { try Data(contentsOf: url.appendingPathComponent(name)) }

    /// Writes the missing files.
    func generate() throws {
        guard !FileManager.default.fileExists(atPath: url.appendingPathComponent(Self.last).path) else { return }
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        var chance = Chance(seed: Self.seed)
        let world = World(&chance)
        let issues = Self.issues(in: world, &chance)
        try writeList(issues, "issues.json")
        var changed = issues
        for place in chance.pick(issues.count / 100, of: Array(issues.indices)) {
            changed[place].title = Text.words(4...12, &chance) + " (edited)"
            changed[place].updatedAt = Text.date(350_000_000 + place)
        }
        try writeList(changed, "issues-1pct.json")
        try writeOne(issues[500], title: "The first title", "one.json")
        try writeOne(issues[500], title: "Another title", "one-changed.json")
        let owners = (0..<2_000).map(UserBody.init)
        try writeList((0..<20_000).map { RepositoryBody($0, owners, &chance) }, "repos.json")
        try writeLinked(issues, world)
        let ids = chance.shuffle(issues).map { "\($0.id)\n" }.joined()
        try Data(ids.utf8).write(to: url.appendingPathComponent(Self.last))
    }

    /// Writes `store.json`: the first issues again, with other ids in each part, so that stores of any size can be
    /// filled.
    func writeStore(part: Int, count: Int) throws {
        var chance = Chance(seed: Self.seed)
        let world = World(&chance)
        var issues = Array(Self.issues(in: world, &chance).prefix(count))
        for place in issues.indices { issues[place].id += part * 10_000_000_000 }
        try writeList(issues, "store.json")
    }

    private static func issues(in world: World, _ chance: inout Chance) -> [IssueBody] {
        (0..<issueCount).map { IssueBody($0, of: issueCount, in: world, &chance) }
    }

    /// The same rows as one nested body, and as lists of objects that are free of links.
    private func writeLinked(_ issues: [IssueBody], _ world: World) throws {
        var chance = Chance(seed: Self.seed)
        let repositories = (0..<100).map { RepositoryBody($0, world.users, &chance) }
        let linked = issues.map { issue in
            var issue = issue
            issue.repository = chance.pick(repositories)
            return issue
        }
        try writeList(linked, "linked-issues.json")
        try writeList(issues.map { $0.flat }, "flat-issues.json")
        try writeList(world.users, "flat-users.json")
        try writeList(world.labels, "flat-labels.json")
        try writeList(world.milestones.map { $0.flat }, "flat-milestones.json")
        try writeList(repositories.map { $0.flat }, "flat-repositories.json")
    }

    /// One element in twenty is written with escapes for all non-ASCII characters.
    private func writeList(_ elements: [some JSONWritable], _ name: String) throws {
        var json = JSONWriter()
        json.array { json in
            for (place, element) in elements.enumerated() {
                json.escapesNonASCII = place % 20 == 11
                json.element(element)
            }
        }
        try Data(json.bytes).write(to: url.appendingPathComponent(name))
    }

    private func writeOne(_ issue: IssueBody, title: String, _ name: String) throws {
        var issue = issue
        issue.title = title
        issue.updatedAt = Text.date(title.utf8.count)
        var json = JSONWriter()
        issue.write(to: &json)
        try Data(json.bytes).write(to: url.appendingPathComponent(name))
    }
}
