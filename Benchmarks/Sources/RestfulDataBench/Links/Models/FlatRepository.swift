import RestfulData

/// The columns of a repository, except links.
@Model
final class FlatRepository {
    var identifier: Int?
    var nodeIdentifier = ""
    var name = ""
    var fullName = ""
    @Attribute("private") var isPrivate = false
    var htmlURL = ""
    @Attribute("description") var summary: String?
    var fork = false
    var url = ""
    var gitURL = ""
    var sshURL = ""
    var cloneURL = ""
    var svnURL = ""
    var homepage: String?
    var size = 0
    var stargazersCount = 0
    var watchersCount = 0
    var language: String?
    var hasIssues = false
    var hasProjects = false
    var hasDownloads = false
    var hasWiki = false
    var hasPages = false
    var hasDiscussions = false
    var forksCount = 0
    var archived = false
    var disabled = false
    var openIssuesCount = 0
    var isTemplate = false
    var visibility = ""
    var defaultBranch = ""
    var createdAt: String?
    var updatedAt: String?
    var pushedAt: String?
}
