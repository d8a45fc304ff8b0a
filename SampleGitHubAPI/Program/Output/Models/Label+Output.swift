import Foundation

extension Label: Presentable {
    static var noun: (one: String, many: String) { ("label", "labels") }

    static var columns: [Column<Label>] {
        [
            Column(title: "NAME", style: .cyan) { $0.name },
            Column(title: "DESCRIPTION", isFlexible: true) { $0.summary ?? "" },
            Column(title: "COLOR") { "#" + $0.color },
        ]
    }

    var card: Card { Card(title: name, facts: ["Color": "#" + color, "Description": summary]) }

    static var fields: [String: (Label) -> JSON] {
        [
            "color": { JSON($0.color) },
            "description": { JSON($0.summary ?? "") },
            "id": { JSON($0.identifier) },
            "name": { JSON($0.name) },
            "url": { JSON($0.htmlURL?.absoluteString) },
        ]
    }

    /// GitHub leaves it out of labels.
    var htmlURL: URL? {
        repository?.htmlURL?.appending(path: "labels").appending(path: name)
    }
}
