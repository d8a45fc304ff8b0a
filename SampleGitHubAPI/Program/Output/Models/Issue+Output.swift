extension Issue: Presentable {
    static var plural: String { "issues" }

    static var columns: [Column<Issue>] {
        [
            Column(title: "#", alignment: .trailing, style: .cyan) { $0.number.map(String.init) ?? "" },
            Column(title: "STATE", rowStyle: \.state.style) { $0.state.rawValue },
            Column(title: "TITLE", isFlexible: true) { $0.title },
            Column(title: "LABELS", isFlexible: true) { $0.labelNames.joined(separator: ", ") },
            Column(title: "BY") { $0.user?.login ?? "" },
            Column(title: "UPDATED") { $0.updatedAt?.day ?? "" },
        ]
    }

    /// `octocat/Hello-World#1347`
    var reference: String { "\(repository?.fullName ?? "")#\(number ?? 0)" }

    var card: Card {
        Card(
            title: "\(reference) \(title)",
            facts: [
                "State": state.rawValue, "By": user?.login, "Assigned to": assigneeLogins.joined(separator: ", "),
                "Labels": labelNames.joined(separator: ", "), "Milestone": milestone?.title,
                "Opened": createdAt?.day, "Updated": updatedAt?.day, "Comments": "\(commentCount)",
            ], text: body)
    }

    var json: JSON {
        [
            "id": JSON(identifier), "repository": JSON(repository?.fullName), "number": JSON(number),
            "title": JSON(title), "body": JSON(body), "state": JSON(state.rawValue), "user": JSON(user?.login),
            "assignees": JSON(assigneeLogins), "labels": JSON(labelNames), "milestone": JSON(milestone?.number),
            "comments": JSON(commentCount), "created_at": JSON(createdAt), "updated_at": JSON(updatedAt),
        ]
    }

    private var labelNames: [String] { labels.map(\.name) }
    private var assigneeLogins: [String] { assignees.map(\.login) }
}

extension Issue.State {
    var style: Style { self == .open ? .green : .red }
}
