import RestfulData

@Model
final class User {
    var identifier: Int?
    var login = ""
    var nodeIdentifier = ""
    var avatarURL = ""
    var gravatarIdentifier = ""
    var url = ""
    var htmlURL = ""
    var followersURL = ""
    var followingURL = ""
    var gistsURL = ""
    var starredURL = ""
    var subscriptionsURL = ""
    var organizationsURL = ""
    var reposURL = ""
    var eventsURL = ""
    var receivedEventsURL = ""
    var type = ""
    var siteAdmin = false
}
