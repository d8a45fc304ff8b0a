struct IssueBody: JSONWritable {
    static let repository = "\(Text.api)/repos/harbour/lighthouse"
    static let page = "\(Text.web)/harbour/lighthouse"

    var id: Int
    let number: Int
    var title: String
    var updatedAt: String
    private let user: UserBody
    private let labels: [LabelBody]
    private let assignees: [UserBody]
    private let milestone: MilestoneBody?
    private let closedBy: UserBody?
    private let isLocked: Bool
    private let isPull: Bool
    private let comments: Int
    private let association: String
    private let body: String?
    private let made: Int
    /// Nested too, as in a reply to a search.
    var repository: RepositoryBody?
    /// Whether all that it leads to is left out.
    var isFlat = false

    init(_ index: Int, of count: Int, in world: World, _ chance: inout Chance) {
        id = 1_750_000_000 + index * 997
        number = count - index
        made = 150_000_000 + index * 8_887
        title = Text.words(4...12, oddPercent: 6, &chance)
        updatedAt = Text.date(made + chance.number(below: 8_000_000))
        user = chance.pick(world.users)
        labels = chance.pick(2, of: world.labels)
        assignees = chance.happens(percent: 15) ? chance.pick(chance.number(in: 1...2), of: world.users) : []
        milestone = chance.happens(percent: 30) ? chance.pick(world.milestones) : nil
        closedBy = chance.happens(percent: 30) ? chance.pick(world.users) : nil
        isLocked = index % 60 == 7
        isPull = chance.happens(percent: 10)
        comments = chance.number(below: 45)
        association = chance.pick(["CONTRIBUTOR", "MEMBER", "NONE"])
        body =
            chance.happens(percent: 5)
            ? nil
            : (0..<chance.number(in: 1...4)).map { _ in Text.words(6...24, oddPercent: 4, &chance) }
                .joined(separator: "\r\n")
    }

    func write(to json: inout JSONWriter) {
        let url = "\(Self.repository)/issues/\(number)"
        json.object { json in
            json.member("url", url)
            json.member("repository_url", Self.repository)
            json.member("labels_url", url + "/labels{/name}")
            json.member("comments_url", url + "/comments")
            json.member("events_url", url + "/events")
            json.member("html_url", "\(Self.page)/issues/\(number)")
            json.member("id", id)
            json.member("node_id", Text.node("I", id))
            json.member("number", number)
            json.member("title", title)
            if !isFlat { writeUserAndLabels(&json) }
            json.member("state", closedBy == nil ? "open" : "closed")
            json.member("locked", isLocked)
            if !isFlat { writeAssignment(&json) }
            json.member("comments", comments)
            json.member("created_at", Text.date(made))
            json.member("updated_at", updatedAt)
            json.member("closed_at", closedBy == nil ? nil : Text.date(made + 8_000_000))
            json.member("author_association", association)
            json.member("active_lock_reason", isLocked ? "resolved" : nil)
            json.member("body", body)
            if !isFlat { json.member("closed_by", closedBy) }
            if let repository { json.member("repository", repository) }
            json.member("pull_request", isPull ? Pull(number: number) : nil)
            json.member("pinned_comment", String?.none)
            json.member("reactions", Reactions(url: url + "/reactions", count: number % 4))
            json.member("timeline_url", url + "/timeline")
            json.member("state_reason", closedBy == nil ? nil : "completed")
        }
    }

    private func writeUserAndLabels(_ json: inout JSONWriter) {
        json.member("user", user)
        json.member("labels", labels)
    }

    private func writeAssignment(_ json: inout JSONWriter) {
        json.member("assignee", assignees.first)
        json.member("assignees", assignees)
        json.member("milestone", milestone)
    }

    private struct Pull: JSONWritable {
        let number: Int

        func write(to json: inout JSONWriter) {
            json.object { json in
                json.member("url", "\(IssueBody.repository)/pulls/\(number)")
                json.member("html_url", "\(IssueBody.page)/pull/\(number)")
            }
        }
    }

    /// The peers skip them.
    private struct Reactions: JSONWritable {
        let url: String
        let count: Int

        func write(to json: inout JSONWriter) {
            json.object { json in
                json.member("url", url)
                json.member("total_count", count)
                json.member("+1", count)
                for name in ["-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes"] { json.member(name, 0) }
            }
        }
    }
}
