import RestfulData

@Model
final class Repository {
    var identifier: Int?
    var name = ""
    var stars = 0
    var isPrivate = false
    var owner: User?
    var issues: [Issue]
    var topics: [Topic]
}
