struct MilestoneBody: JSONWritable {
    let number: Int
    let creator: UserBody
    let summary: String
    let openIssues: Int
    let closedIssues: Int
    /// Whether the creator is left out.
    var isFlat = false

    init(_ index: Int, _ users: [UserBody], _ chance: inout Chance) {
        number = index + 1
        creator = chance.pick(users)
        summary = Text.words(6...14, oddPercent: 10, &chance)
        openIssues = chance.number(below: 80)
        closedIssues = chance.number(below: 800)
    }

    func write(to json: inout JSONWriter) {
        let id = 8_400_100 + number * 23
        let url = "\(IssueBody.repository)/milestones/\(number)"
        let made = number * 1_200_000
        json.object { json in
            json.member("url", url)
            json.member("html_url", "\(IssueBody.page)/milestone/\(number)")
            json.member("labels_url", url + "/labels")
            json.member("id", id)
            json.member("node_id", Text.node("MI", id))
            json.member("number", number)
            json.member("title", "Voyage \(number / 4).\(number % 4)")
            json.member("description", summary)
            if !isFlat { json.member("creator", creator) }
            json.member("open_issues", openIssues)
            json.member("closed_issues", closedIssues)
            json.member("state", number % 2 == 0 ? "closed" : "open")
            json.member("created_at", Text.date(made))
            json.member("updated_at", Text.date(made + 400_000))
            json.member("due_on", number % 3 == 0 ? Text.date(made + 2_000_000) : nil)
            json.member("closed_at", number % 2 == 0 ? Text.date(made + 1_900_000) : nil)
        }
    }
}
