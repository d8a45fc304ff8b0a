import Foundation
import RestfulData

@Model("/users", key: "login")
final class User {
    var identifier: Int?
    var login = ""
    var name: String?
    var company: String?
    var location: String?
    var bio: String?
    var publicRepos: Int?  // a user within something else has neither
    var followers: Int?
    var htmlURL: URL?
    var createdAt: Date?
    @Relationship("/users/:login/repos", inverse: "owner") var repositories: [Repository]
}
