import Foundation

extension Comment: Presentable {
    static var noun: (one: String, many: String) { ("comment", "comments") }

    static var columns: [Column<Comment>] {
        [
            Column(title: "BY", style: .cyan) { $0.user?.login ?? "" },
            Column(title: "WRITTEN", wholeText: \.createdAt?.text) { $0.createdAt?.day ?? "" },
            Column(title: "COMMENT", isFlexible: true) { $0.body },
        ]
    }

    var card: Card { Card(title: "\(user?.login ?? "ghost"), \(createdAt?.day ?? "")", facts: [:], text: body) }

    /// For pipes and files, as in `gh`.
    var wholeLines: [String] {
        ["author:\t\(user?.login ?? "ghost")", "created:\t\(createdAt?.text ?? "")", "--"] + body.printableLines + [
            "--"
        ]
    }

    static var fields: [String: (Comment) -> JSON] {
        [
            "author": { $0.user?.json(["login", "name"]) ?? .null },
            "body": { JSON($0.body) },
            "createdAt": { JSON($0.createdAt) },
            "id": { JSON($0.identifier) },
            "url": { JSON($0.htmlURL?.absoluteString) },
        ]
    }
}
