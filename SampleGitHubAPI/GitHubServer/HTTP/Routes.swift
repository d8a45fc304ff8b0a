extension Route {
    /// Everything the server answers; where two patterns fit, the first one does.
    static let all: [Route] = meta + users + repositories + issues + comments + issueLabels + labels + milestones

    private static let meta = [
        Route("GET", "/", "meta/meta#github-api-root", Meta.root),
        Route(
            "GET", "/rate_limit", "rate-limit/rate-limit#get-rate-limit-status-for-the-authenticated-user",
            Meta.rateLimit),
        Route("GET", "/search/issues", "search/search#search-issues-and-pull-requests", Search.issues),
    ]

    private static let users = [
        Route("GET", "/user", "users/users#get-the-authenticated-user", Users.viewer),
        Route("GET", "/users/:login", "users/users#get-a-user", Users.show),
        Route("GET", "/users/:login/repos", "repos/repos#list-repositories-for-a-user", Repositories.list),
    ]

    private static let repositories = [
        Route("GET", "/repos/:owner/:repo", "repos/repos#get-a-repository", Repositories.show),
        Route("PATCH", "/repos/:owner/:repo", "repos/repos#update-a-repository", Repositories.edit),
    ]

    private static let issues = [
        Route("GET", repo("/issues"), "issues/issues#list-repository-issues", Issues.list),
        Route("POST", repo("/issues"), "issues/issues#create-an-issue", Issues.create),
        Route("GET", repo("/issues/:number"), "issues/issues#get-an-issue", Issues.show),
        Route("PATCH", repo("/issues/:number"), "issues/issues#update-an-issue", Issues.edit),
    ]

    private static let comments = [
        Route("GET", repo("/issues/comments/:id"), "issues/comments#get-an-issue-comment", Comments.show),
        Route("PATCH", repo("/issues/comments/:id"), "issues/comments#update-an-issue-comment", Comments.edit),
        Route("DELETE", repo("/issues/comments/:id"), "issues/comments#delete-an-issue-comment", Comments.delete),
        Route("GET", repo("/issues/:number/comments"), "issues/comments#list-issue-comments", Comments.list),
        Route("POST", repo("/issues/:number/comments"), "issues/comments#create-an-issue-comment", Comments.create),
    ]

    private static let issueLabels = [
        Route("GET", repo("/issues/:number/labels"), "issues/labels#list-labels-for-an-issue", IssueLabels.list),
        Route("POST", repo("/issues/:number/labels"), "issues/labels#add-labels-to-an-issue", IssueLabels.add),
        Route("PUT", repo("/issues/:number/labels"), "issues/labels#set-labels-for-an-issue", IssueLabels.replace),
        Route(
            "DELETE", repo("/issues/:number/labels"), "issues/labels#remove-all-labels-from-an-issue",
            IssueLabels.removeAll),
        Route(
            "DELETE", repo("/issues/:number/labels/:name"), "issues/labels#remove-a-label-from-an-issue",
            IssueLabels.remove),
    ]

    private static let labels = [
        Route("GET", repo("/labels"), "issues/labels#list-labels-for-a-repository", Labels.list),
        Route("POST", repo("/labels"), "issues/labels#create-a-label", Labels.create),
        Route("GET", repo("/labels/:name"), "issues/labels#get-a-label", Labels.show),
        Route("PATCH", repo("/labels/:name"), "issues/labels#update-a-label", Labels.edit),
        Route("DELETE", repo("/labels/:name"), "issues/labels#delete-a-label", Labels.delete),
    ]

    private static let milestones = [
        Route("GET", repo("/milestones"), "issues/milestones#list-milestones", Milestones.list),
        Route("POST", repo("/milestones"), "issues/milestones#create-a-milestone", Milestones.create),
        Route("GET", repo("/milestones/:number"), "issues/milestones#get-a-milestone", Milestones.show),
        Route("PATCH", repo("/milestones/:number"), "issues/milestones#update-a-milestone", Milestones.edit),
        Route("DELETE", repo("/milestones/:number"), "issues/milestones#delete-a-milestone", Milestones.delete),
    ]

    private static func repo(_ path: String) -> String { "/repos/:owner/:repo" + path }
}
