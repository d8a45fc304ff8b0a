import Foundation

extension User: Presentable {
    static var noun: (one: String, many: String) { ("user", "users") }

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
                "Name": name, "Company": company, "Location": location, "Bio": bio,
                "Repositories": publicRepos.map { "\($0)" },
                "Followers": followers.map { "\($0)" }, "Joined": createdAt?.day, "URL": htmlURL?.absoluteString,
            ])
    }

    static var fields: [String: (User) -> JSON] {
        [
            "bio": { JSON($0.bio) },
            "company": { JSON($0.company) },
            "createdAt": { JSON($0.createdAt) },
            "followers": { JSON($0.followers) },
            "id": { JSON($0.identifier) },
            "location": { JSON($0.location) },
            "login": { JSON($0.login) },
            "name": { JSON($0.name) },
            "publicRepos": { JSON($0.publicRepos) },
            "url": { JSON($0.htmlURL?.absoluteString) },
        ]
    }
}
