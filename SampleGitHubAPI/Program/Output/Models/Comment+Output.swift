extension Comment: Presentable {
    static var plural: String { "comments" }

    static var columns: [Column<Comment>] {
        [
            Column(title: "BY", style: .cyan) { $0.user?.login ?? "" },
            Column(title: "WRITTEN") { $0.createdAt?.day ?? "" },
            Column(title: "COMMENT", isFlexible: true) { $0.body },
        ]
    }

    var card: Card { Card(title: "\(user?.login ?? "ghost"), \(createdAt?.day ?? "")", facts: [:], text: body) }

    var json: JSON {
        [
            "id": JSON(identifier), "issue": JSON(issue?.number), "user": JSON(user?.login), "body": JSON(body),
            "created_at": JSON(createdAt),
        ]
    }
}
