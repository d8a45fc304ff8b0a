struct User: Sendable {
    let id: Int
    let login: String
    var name: String?
    var company: String?
    var blog = ""
    var location: String?
    var email: String?
    var bio: String?
    var twitter: String?
    var isStaff = false
    var gists = 0
    var followers = 0
    var following = 0
    var createdAt: Timestamp
    var updatedAt: Timestamp
}
