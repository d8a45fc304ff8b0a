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
    var publicRepos = 0
    var followers = 0
    var htmlURL: URL?
    var createdAt: Date?
    @Relationship("/users/:login/repos", inverse: "owner") var repositories: [Repository]
}
