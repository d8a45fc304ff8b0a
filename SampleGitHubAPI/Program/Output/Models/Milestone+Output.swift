extension Milestone: Presentable {
    static var plural: String { "milestones" }

    static var columns: [Column<Milestone>] {
        [
            Column(title: "#", alignment: .trailing, style: .cyan) { $0.number.map(String.init) ?? "" },
            Column(title: "STATE", rowStyle: \.state.style) { $0.state.rawValue },
            Column(title: "TITLE", isFlexible: true) { $0.title },
            Column(title: "OPEN", alignment: .trailing) { "\($0.openIssues)" },
            Column(title: "CLOSED", alignment: .trailing) { "\($0.closedIssues)" },
            Column(title: "DUE") { $0.dueOn?.day ?? "" },
            Column(title: "DESCRIPTION", isFlexible: true) { $0.summary ?? "" },
        ]
    }

    var card: Card {
        Card(
            title: title,
            facts: [
                "Number": number.map(String.init), "State": state.rawValue, "Description": summary,
                "By": creator?.login, "Due": dueOn?.day, "Open issues": "\(openIssues)",
                "Closed issues": "\(closedIssues)",
            ])
    }

    var json: JSON {
        [
            "id": JSON(identifier), "repository": JSON(repository?.fullName), "number": JSON(number),
            "title": JSON(title), "description": JSON(summary), "state": JSON(state.rawValue),
            "creator": JSON(creator?.login), "due_on": JSON(dueOn), "open_issues": JSON(openIssues),
            "closed_issues": JSON(closedIssues),
        ]
    }
}
