extension Shapes {
    /// As in lists.
    func minimalRepository(_ repository: Repository) -> JSON {
        .object { json in
            putHead(of: repository, into: &json)
            putAddresses(of: repository, into: &json)
            putBody(of: repository, into: &json)
            putPermissions(on: repository, into: &json)
        }
    }

    /// As at `/repos/:owner/:repo`.
    func fullRepository(_ repository: Repository) -> JSON {
        .object { json in
            putHead(of: repository, into: &json)
            putAddresses(of: repository, into: &json)
            putBody(of: repository, into: &json)
            putPermissions(on: repository, into: &json)
            putMergeSettings(into: &json)
            json.put("network_count", repository.forks)
            json.put("subscribers_count", repository.subscribers)
        }
    }

    private func putHead(of repository: Repository, into json: inout JSONObject) {
        json.put("id", repository.id)
        json.put("node_id", Shapes.nodeID("Repository", repository.id))
        json.put("name", repository.name)
        json.put("full_name", world.fullName(of: repository))
        json.put("private", repository.isPrivate)
        json.put("owner", user(repository.ownerID))
        json.put("html_url", web("/" + world.fullName(of: repository)))
        json.put("description", repository.description)
        json.put("fork", false)
    }

    private func putAddresses(of repository: Repository, into json: inout JSONObject) {
        let url = api(path(of: repository))
        json.put("url", url)
        for (name, path) in Shapes.repositoryAddresses { json.put(name, url + path) }
    }

    private static let repositoryAddresses: KeyValuePairs = [
        "forks_url": "/forks",
        "keys_url": "/keys{/key_id}",
        "collaborators_url": "/collaborators{/collaborator}",
        "teams_url": "/teams",
        "hooks_url": "/hooks",
        "issue_events_url": "/issues/events{/number}",
        "events_url": "/events",
        "assignees_url": "/assignees{/user}",
        "branches_url": "/branches{/branch}",
        "tags_url": "/tags",
        "blobs_url": "/git/blobs{/sha}",
        "git_tags_url": "/git/tags{/sha}",
        "git_refs_url": "/git/refs{/sha}",
        "trees_url": "/git/trees{/sha}",
        "statuses_url": "/statuses/{sha}",
        "languages_url": "/languages",
        "stargazers_url": "/stargazers",
        "contributors_url": "/contributors",
        "subscribers_url": "/subscribers",
        "subscription_url": "/subscription",
        "commits_url": "/commits{/sha}",
        "git_commits_url": "/git/commits{/sha}",
        "comments_url": "/comments{/number}",
        "issue_comment_url": "/issues/comments{/number}",
        "contents_url": "/contents/{+path}",
        "compare_url": "/compare/{base}...{head}",
        "merges_url": "/merges",
        "archive_url": "/{archive_format}{/ref}",
        "downloads_url": "/downloads",
        "issues_url": "/issues{/number}",
        "pulls_url": "/pulls{/number}",
        "milestones_url": "/milestones{/number}",
        "notifications_url": "/notifications{?since,all,participating}",
        "labels_url": "/labels{/name}",
        "releases_url": "/releases{/id}",
        "deployments_url": "/deployments",
    ]

    private func putBody(of repository: Repository, into json: inout JSONObject) {
        let fullName = world.fullName(of: repository)
        json.put("created_at", repository.createdAt)
        json.put("updated_at", repository.updatedAt)
        json.put("pushed_at", repository.pushedAt)
        json.put("git_url", "git://github.com/\(fullName).git")
        json.put("ssh_url", "git@github.com:\(fullName).git")
        json.put("clone_url", web("/\(fullName).git"))
        json.put("svn_url", web("/\(fullName)"))
        json.put("homepage", repository.homepage)
        json.put("size", repository.size)
        json.put("stargazers_count", repository.stars)
        json.put("watchers_count", repository.stars)
        json.put("language", repository.language)
        json.put("has_issues", repository.hasIssues)
        json.put("has_projects", repository.hasProjects)
        json.put("has_downloads", true)
        json.put("has_wiki", repository.hasWiki)
        json.put("has_pages", false)
        json.put("has_discussions", repository.hasDiscussions)
        json.put("forks_count", repository.forks)
        json.putNull("mirror_url")
        json.put("archived", repository.isArchived)
        json.put("disabled", false)
        json.put("open_issues_count", repository.openIssueCount)
        json.put("license", repository.license.map(license))
        json.put("allow_forking", true)
        json.put("is_template", repository.isTemplate)
        json.put("web_commit_signoff_required", false)
        json.put("topics", repository.topics)
        json.put("visibility", repository.isPrivate ? "private" : "public")
        json.put("forks", repository.forks)
        json.put("open_issues", repository.openIssueCount)
        json.put("watchers", repository.stars)
        json.put("default_branch", repository.defaultBranch)
    }

    /// For signed-in users only.
    private func putPermissions(on repository: Repository, into json: inout JSONObject) {
        guard let userID = viewer.userID else { return }
        let isOwner = userID == repository.ownerID
        let mayPush = isOwner || repository.collaboratorIDs.contains(userID)
        json.put(
            "permissions",
            JSON.object { permissions in
                permissions.put("admin", isOwner)
                permissions.put("maintain", isOwner)
                permissions.put("push", mayPush)
                permissions.put("triage", mayPush)
                permissions.put("pull", true)
            })
    }

    private func putMergeSettings(into json: inout JSONObject) {
        json.putNull("temp_clone_token")
        json.put("allow_squash_merge", true)
        json.put("allow_merge_commit", true)
        json.put("allow_rebase_merge", true)
        json.put("allow_auto_merge", false)
        json.put("delete_branch_on_merge", false)
        json.put("allow_update_branch", false)
        json.put("use_squash_pr_title_as_default", false)
        json.put("squash_merge_commit_message", "COMMIT_MESSAGES")
        json.put("squash_merge_commit_title", "COMMIT_OR_PR_TITLE")
        json.put("merge_commit_message", "PR_TITLE")
        json.put("merge_commit_title", "MERGE_MESSAGE")
    }

    private func license(_ license: License) -> JSON {
        .object { json in
            json.put("key", license.key)
            json.put("name", license.name)
            json.put("spdx_id", license.spdx)
            json.put("url", api("/licenses/\(license.key)"))
            json.put("node_id", Shapes.nodeID("License", license.key.utf8.reduce(0) { $0 + Int($1) }))
        }
    }
}
