import Foundation
import RestfulData

@Model("/repos/:issue.repository.full_name/issues/comments")
final class Comment {
    var identifier: Int?
    var body = ""
    var htmlURL: URL?
    var createdAt: Date?
    var user: User?
    var issue: Issue?
}
