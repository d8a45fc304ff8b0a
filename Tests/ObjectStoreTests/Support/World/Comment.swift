import RestfulData

/// Owned by an issue.
@Model
final class Comment {
    var identifier: Int?
    var body = ""
    var issue: Issue?
}
