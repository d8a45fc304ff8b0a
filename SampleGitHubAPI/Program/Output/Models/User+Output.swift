extension User: Presentable {
    static var plural: String { "users" }

    static var columns: [Column<User>] {
        [
            Column(title: "LOGIN", style: .cyan) { $0.login },
            Column(title: "NAME", isFlexible: true) { $0.name ?? "" },
        ]
    }

    var card: Card {
        Card(
            title: login,
            facts: [
                "Name": name, "Company": company, "Location": location, "Bio": bio, "Repositories": "\(publicRepos)",
                "Followers": "\(followers)", "Joined": createdAt?.day,
            ])
    }

    var json: JSON {
        [
            "id": JSON(identifier), "login": JSON(login), "name": JSON(name), "company": JSON(company),
            "location": JSON(location), "bio": JSON(bio), "public_repos": JSON(publicRepos),
            "followers": JSON(followers), "created_at": JSON(createdAt),
        ]
    }
}
