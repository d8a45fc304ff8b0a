import GRDB

/// A repository's row.
struct Repository: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "repository"

    var id: Int
    var nodeID: String
    var name: String
    var fullName: String
    var isPrivate: Bool
    var htmlURL: String
    var summary: String?
    var fork: Bool
    var url: String
    var gitURL: String
    var sshURL: String
    var cloneURL: String
    var svnURL: String
    var homepage: String?
    var size: Int
    var stargazersCount: Int
    var watchersCount: Int
    var language: String?
    var hasIssues: Bool
    var hasProjects: Bool
    var hasDownloads: Bool
    var hasWiki: Bool
    var hasPages: Bool
    var hasDiscussions: Bool
    var forksCount: Int
    var archived: Bool
    var disabled: Bool
    var openIssuesCount: Int
    var isTemplate: Bool
    var visibility: String
    var defaultBranch: String
    var createdAt: String?
    var updatedAt: String?
    var pushedAt: String?
    var ownerID: Int?

    enum CodingKeys: String, CodingKey {
        case id, name, fork, url, homepage, size, language, archived, disabled, visibility
        case nodeID = "node_id"
        case fullName = "full_name"
        case isPrivate = "private"
        case htmlURL = "html_url"
        case summary = "description"
        case gitURL = "git_url"
        case sshURL = "ssh_url"
        case cloneURL = "clone_url"
        case svnURL = "svn_url"
        case stargazersCount = "stargazers_count"
        case watchersCount = "watchers_count"
        case hasIssues = "has_issues"
        case hasProjects = "has_projects"
        case hasDownloads = "has_downloads"
        case hasWiki = "has_wiki"
        case hasPages = "has_pages"
        case hasDiscussions = "has_discussions"
        case forksCount = "forks_count"
        case openIssuesCount = "open_issues_count"
        case isTemplate = "is_template"
        case defaultBranch = "default_branch"
        case createdAt = "created_at"
        case updatedAt = "updated_at"
        case pushedAt = "pushed_at"
        case ownerID = "owner_id"
    }
}
