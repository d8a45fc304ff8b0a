import RestfulData

@Model
final class User {
    var identifier: Int?
    var login = ""
    var name: String?
    var siteAdmin = false
    var score: Double?
    var repositories: [Repository]
    var profile: Profile?
}
