import Foundation

extension Issue: Presentable {
    static var noun: (one: String, many: String) { ("issue", "issues") }

    static var columns: [Column<Issue>] {
        [
            Column(title: "#", alignment: .trailing, style: .cyan) { $0.number.map(String.init) ?? "" },
            Column(title: "STATE", rowStyle: \.state.style, wholeText: \.state.shout) { $0.state.rawValue },
            Column(title: "TITLE", isFlexible: true) { $0.title },
            Column(title: "LABELS", isFlexible: true) { $0.labelNames.joined(separator: ", ") },
            Column(title: "UPDATED", wholeText: \.updatedAt?.text) { $0.updatedAt?.day ?? "" },
            Column(title: "BY") { $0.user?.login ?? "" },
        ]
    }

    /// `octocat/Hello-World#1347`
    var reference: String { "\(repository?.fullName ?? "")#\(number ?? 0)" }

    var card: Card {
        Card(
            title: Terminal.width == nil ? title : "\(title) \(reference)",
            facts: [
                "State": Terminal.width == nil ? state.shout : state.rawValue, "Author": user?.login,
                "Labels": labelNames.joined(separator: ", "), "Comments": "\(commentCount)",
                "Assignees": assignees.map(\.login).joined(separator: ", "), "Milestone": milestone?.title,
                "Number": number.map(String.init), "Created": createdAt?.day, "Updated": updatedAt?.day,
                "URL": htmlURL?.absoluteString,
            ], text: body)
    }

    static var extraFields: Set<String> { ["comments"] }

    static var fields: [String: (Issue) -> JSON] {
        [
            "assignees": { .array($0.assignees.map { $0.json(["login", "name"]) }) },
            "author": { $0.user?.json(["login", "name"]) ?? .null },
            "body": { JSON($0.body ?? "") },
            "closed": { JSON($0.state == .closed) },
            "closedAt": { JSON($0.closedAt) },
            "comments": { $0.hasComments ? .array($0.comments.map { $0.json(Comment.fieldNames) }) : .null },
            "createdAt": { JSON($0.createdAt) },
            "id": { JSON($0.identifier) },
            "labels": { .array($0.labels.map { $0.json(["id", "name", "description", "color"]) }) },
            "milestone": { $0.milestone?.json(["number", "title", "description", "dueOn"]) ?? .null },
            "number": { JSON($0.number) },
            "state": { JSON($0.state.shout) },
            "stateReason": { JSON($0.stateReason?.uppercased() ?? "") },
            "title": { JSON($0.title) },
            "updatedAt": { JSON($0.updatedAt) },
            "url": { JSON($0.htmlURL?.absoluteString) },
        ]
    }

    /// Whether all of them are here.
    private var hasComments: Bool { comments.count >= commentCount }

    var labelNames: [String] { labels.map(\.name) }
}

extension Issue.State {
    var style: Style { self == .open ? .green : .red }

    /// As `gh` writes it for programs.
    var shout: String { rawValue.uppercased() }
}
