extension Shapes {
    func path(of issue: Issue, in repository: Repository) -> String {
        "\(path(of: repository))/issues/\(issue.number)"
    }

    func issue(_ issue: Issue, in repository: Repository) -> JSON {
        .object { put(issue, in: repository, into: &$0) }
    }

    /// As a search shows it.
    func foundIssue(_ issue: Issue, in repository: Repository) -> JSON {
        .object { json in
            put(issue, in: repository, into: &json)
            json.put("score", JSON.number(1))
        }
    }

    private func put(_ issue: Issue, in repository: Repository, into json: inout JSONObject) {
        putAddresses(of: issue, in: repository, into: &json)
        json.put("id", issue.id)
        json.put("node_id", Shapes.nodeID("Issue", issue.id))
        json.put("number", issue.number)
        json.put("title", issue.title)
        json.put("user", user(issue.userID))
        json.put("labels", labels(of: issue, in: repository))
        json.put("state", issue.state)
        json.put("locked", issue.isLocked)
        json.put("assignee", user(issue.assigneeIDs.first))
        json.put("assignees", issue.assigneeIDs.map(user))
        json.put("milestone", milestone(number: issue.milestoneNumber, in: repository))
        json.put("comments", repository.commentCount(ofIssue: issue.number))
        json.put("created_at", issue.createdAt)
        json.put("updated_at", issue.updatedAt)
        json.put("closed_at", issue.closedAt)
        json.put("author_association", association(of: issue.userID, in: repository))
        json.putNull("type", "active_lock_reason")
        json.put("sub_issues_summary", subIssues)
        json.put("issue_dependencies_summary", dependencies)
        json.put("body", issue.body)
        json.put("closed_by", user(issue.closedByID))
        json.put("reactions", reactions(at: api(path(of: issue, in: repository))))
        json.put("timeline_url", api(path(of: issue, in: repository)) + "/timeline")
        json.putNull("performed_via_github_app")
        json.put("state_reason", issue.reason)
        json.putNull("pinned_comment")
        guard issue.isPullRequest else { return }
        json.put("draft", false)
        json.put("pull_request", pullRequest(issue, in: repository))
    }

    private func pullRequest(_ issue: Issue, in repository: Repository) -> JSON {
        .object { json in
            let page = page(of: issue, in: repository)
            json.put("url", api("\(path(of: repository))/pulls/\(issue.number)"))
            json.put("html_url", page)
            json.put("diff_url", page + ".diff")
            json.put("patch_url", page + ".patch")
            json.putNull("merged_at")
        }
    }

    /// On the web site.
    private func page(of issue: Issue, in repository: Repository) -> String {
        web("/\(world.fullName(of: repository))/\(issue.isPullRequest ? "pull" : "issues")/\(issue.number)")
    }

    private func putAddresses(of issue: Issue, in repository: Repository, into json: inout JSONObject) {
        let url = api(path(of: issue, in: repository))
        json.put("url", url)
        json.put("repository_url", api(path(of: repository)))
        json.put("labels_url", url + "/labels{/name}")
        json.put("comments_url", url + "/comments")
        json.put("events_url", url + "/events")
        json.put("html_url", page(of: issue, in: repository))
    }

    func labels(of issue: Issue, in repository: Repository) -> [JSON] {
        issue.labelIDs.compactMap(repository.label).map { label($0, in: repository) }
    }

    private func milestone(number: Int?, in repository: Repository) -> JSON {
        repository.milestones.first { $0.number == number }.map { milestone($0, in: repository) } ?? .null
    }

    /// Always empty.
    private var subIssues: JSON {
        .object { summary in
            for name in ["total", "completed", "percent_completed"] { summary.put(name, 0) }
        }
    }

    /// Always empty.
    private var dependencies: JSON {
        .object { summary in
            for name in ["blocked_by", "total_blocked_by", "blocking", "total_blocking"] { summary.put(name, 0) }
        }
    }
}
