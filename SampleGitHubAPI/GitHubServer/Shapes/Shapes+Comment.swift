extension Shapes {
    func path(of comment: Comment, in repository: Repository) -> String {
        "\(path(of: repository))/issues/comments/\(comment.id)"
    }

    func comment(_ comment: Comment, in repository: Repository) -> JSON {
        .object { json in
            let url = api(path(of: comment, in: repository))
            let issue = "/issues/\(comment.issueNumber)"
            json.put("url", url)
            json.put("html_url", web("/\(world.fullName(of: repository))\(issue)#issuecomment-\(comment.id)"))
            json.put("issue_url", api(path(of: repository) + issue))
            json.put("id", comment.id)
            json.put("node_id", Shapes.nodeID("IssueComment", comment.id))
            json.put("user", user(comment.userID))
            json.put("created_at", comment.createdAt)
            json.put("updated_at", comment.updatedAt)
            json.put("body", comment.body)
            json.put("author_association", association(of: comment.userID, in: repository))
            json.putNull("pin", "minimized")
            json.put("reactions", reactions(at: url))
            json.putNull("performed_via_github_app")
        }
    }
}
