extension Label: Presentable {
    static var plural: String { "labels" }

    static var columns: [Column<Label>] {
        [
            Column(title: "NAME", style: .cyan) { $0.name },
            Column(title: "COLOR") { "#" + $0.color },
            Column(title: "DESCRIPTION", isFlexible: true) { $0.summary ?? "" },
        ]
    }

    var card: Card { Card(title: name, facts: ["Color": "#" + color, "Description": summary]) }

    var json: JSON {
        [
            "id": JSON(identifier), "repository": JSON(repository?.fullName), "name": JSON(name),
            "color": JSON(color), "description": JSON(summary),
        ]
    }
}
