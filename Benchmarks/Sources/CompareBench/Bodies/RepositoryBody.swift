struct RepositoryBody: JSONWritable {
    private let number: Int
    private let name: String
    private let owner: UserBody
    private let summary: String?
    private let size: Int
    private let stars: Int
    private let language: String?
    private let forks: Int
    private let openIssues: Int
    private let topics: [String]
    /// Whether the owner is left out.
    var isFlat = false

    init(_ number: Int, _ owners: [UserBody], _ chance: inout Chance) {
        self.number = number
        name = "\(Text.name(chance.number(below: 46)))-\(number)"
        owner = chance.pick(owners)
        summary = number % 8 == 0 ? nil : Text.words(4...14, oddPercent: 5, &chance)
        size = chance.number(below: 90_000)
        stars = chance.number(below: 8_000)
        language = chance.pick(["C", "Python", "Swift", nil])
        forks = chance.number(below: 800)
        openIssues = chance.number(below: 80)
        topics = (0..<(number % 4)).map { _ in Text.name(chance.number(below: 46)) }
    }

    func write(to json: inout JSONWriter) {
        let id = 900_100 + number * 39_119
        let fullName = "\(owner.login)/\(name)"
        json.object { json in
            json.member("id", id)
            json.member("node_id", Text.node("R", id))
            json.member("name", name)
            json.member("full_name", fullName)
            json.member("private", number % 13 == 0)
            if !isFlat { json.member("owner", owner) }
            json.member("html_url", "\(Text.web)/\(fullName)")
            json.member("description", summary)
            json.member("fork", number % 4 == 0)
            json.member("url", "\(Text.api)/repos/\(fullName)")
            json.member("created_at", Text.date(number * 7_001))
            json.member("updated_at", Text.date(number * 7_001 + 90_000))
            json.member("pushed_at", Text.date(number * 7_001 + 80_000))
            json.member("git_url", "git://github.com/\(fullName).git")
            json.member("ssh_url", "git@github.com:\(fullName).git")
            json.member("clone_url", "\(Text.web)/\(fullName).git")
            json.member("svn_url", "\(Text.web)/\(fullName)")
            json.member("homepage", number % 2 == 0 ? nil : "")
            json.member("size", size)
            json.member("stargazers_count", stars)
            json.member("watchers_count", stars)
            json.member("language", language)
            writeFlags(&json)
            json.member("forks_count", forks)
            json.member("archived", number % 50 == 0)
            json.member("disabled", false)
            json.member("open_issues_count", openIssues)
            json.member("is_template", false)
            json.member("topics", topics)
            json.member("visibility", number % 13 == 0 ? "private" : "public")
            json.member("default_branch", "main")
            json.member("permissions", Permissions())
        }
    }

    private func writeFlags(_ json: inout JSONWriter) {
        json.member("has_issues", true)
        json.member("has_projects", number % 3 == 0)
        json.member("has_downloads", true)
        json.member("has_wiki", number % 2 == 0)
        json.member("has_pages", false)
        json.member("has_discussions", number % 7 == 0)
    }

    /// The peers skip them.
    private struct Permissions: JSONWritable {
        func write(to json: inout JSONWriter) {
            json.object { json in
                json.member("admin", false)
                json.member("push", false)
                json.member("pull", true)
            }
        }
    }
}
