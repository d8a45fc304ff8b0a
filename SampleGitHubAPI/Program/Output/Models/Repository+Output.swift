import Foundation

extension Repository: Presentable {
    static var noun: (one: String, many: String) { ("repository", "repositories") }

    static var columns: [Column<Repository>] {
        [
            Column(title: "NAME", isFlexible: true, style: .cyan) { $0.fullName },
            Column(title: "DESCRIPTION", isFlexible: true) { $0.summary ?? "" },
            Column(title: "INFO") { $0.visibility },
            Column(title: "PUSHED", wholeText: \.pushedAt?.text) { $0.pushedAt?.day ?? "" },
            Column(title: "LANGUAGE") { $0.language ?? "" },
            Column(title: "STARS", alignment: .trailing) { "\($0.stargazersCount)" },
        ]
    }

    var card: Card {
        Card(
            title: fullName,
            facts: [
                "Description": summary, "Owner": owner?.login, "Visibility": visibility,
                "Language": language, "Stars": "\(stargazersCount)", "Open issues": "\(openIssuesCount)",
                "Pushed": pushedAt?.day, "URL": htmlURL?.absoluteString,
            ])
    }

    static var fields: [String: (Repository) -> JSON] {
        [
            "description": { JSON($0.summary ?? "") },
            "id": { JSON($0.identifier) },
            "isPrivate": { JSON($0.isPrivate) },
            "name": { JSON($0.fullName.split(separator: "/").last.map(String.init)) },
            "nameWithOwner": { JSON($0.fullName) },
            "openIssuesCount": { JSON($0.openIssuesCount) },
            "owner": { $0.owner?.json(["login"]) ?? .null },
            "primaryLanguage": { $0.language.map { ["name": JSON($0)] } ?? .null },
            "pushedAt": { JSON($0.pushedAt) },
            "stargazerCount": { JSON($0.stargazersCount) },
            "url": { JSON($0.htmlURL?.absoluteString) },
            "visibility": { JSON($0.visibility.uppercased()) },
        ]
    }

    private var visibility: String { isPrivate ? "private" : "public" }
}
