import Foundation

extension Milestone: Presentable {
    static var noun: (one: String, many: String) { ("milestone", "milestones") }

    static var columns: [Column<Milestone>] {
        [
            Column(title: "#", alignment: .trailing, style: .cyan) { $0.number.map(String.init) ?? "" },
            Column(title: "STATE", rowStyle: \.state.style, wholeText: \.state.shout) { $0.state.rawValue },
            Column(title: "TITLE", isFlexible: true) { $0.title },
            Column(title: "OPEN", alignment: .trailing) { "\($0.openIssues)" },
            Column(title: "CLOSED", alignment: .trailing) { "\($0.closedIssues)" },
            Column(title: "DUE", wholeText: \.dueOn?.text) { $0.dueOn?.day ?? "" },
            Column(title: "DESCRIPTION", isFlexible: true) { $0.summary ?? "" },
        ]
    }

    var card: Card {
        Card(
            title: title,
            facts: [
                "Number": number.map(String.init), "State": state.rawValue, "Description": summary,
                "Creator": creator?.login, "Due": dueOn?.day, "Open issues": "\(openIssues)",
                "Closed issues": "\(closedIssues)", "URL": htmlURL?.absoluteString,
            ])
    }

    static var fields: [String: (Milestone) -> JSON] {
        [
            "closedIssues": { JSON($0.closedIssues) },
            "creator": { $0.creator?.json(["login", "name"]) ?? .null },
            "description": { JSON($0.summary) },
            "dueOn": { JSON($0.dueOn) },
            "id": { JSON($0.identifier) },
            "number": { JSON($0.number) },
            "openIssues": { JSON($0.openIssues) },
            "state": { JSON($0.state.shout) },
            "title": { JSON($0.title) },
            "url": { JSON($0.htmlURL?.absoluteString) },
        ]
    }
}
