extension Repository: Presentable {
    static var plural: String { "repositories" }

    static var columns: [Column<Repository>] {
        [
            Column(title: "NAME", isFlexible: true, style: .cyan) { $0.fullName },
            Column(title: "LANGUAGE") { $0.language ?? "" },
            Column(title: "STARS", alignment: .trailing) { "\($0.stargazersCount)" },
            Column(title: "ISSUES", alignment: .trailing) { "\($0.openIssuesCount)" },
            Column(title: "PUSHED") { $0.pushedAt?.day ?? "" },
            Column(title: "DESCRIPTION", isFlexible: true) { $0.summary ?? "" },
        ]
    }

    var card: Card {
        Card(
            title: fullName,
            facts: [
                "Description": summary, "Owner": owner?.login, "Visibility": isPrivate ? "private" : "public",
                "Language": language, "Stars": "\(stargazersCount)", "Open issues": "\(openIssuesCount)",
                "Pushed": pushedAt?.day,
            ])
    }

    var json: JSON {
        [
            "id": JSON(identifier), "full_name": JSON(fullName), "description": JSON(summary),
            "private": JSON(isPrivate), "language": JSON(language), "stargazers_count": JSON(stargazersCount),
            "open_issues_count": JSON(openIssuesCount), "pushed_at": JSON(pushedAt), "owner": JSON(owner?.login),
        ]
    }
}
