import RestfulData

/// One to one with a user.
@Model
final class Profile {
    var identifier: Int?
    var bio = ""
    var user: User?
}
