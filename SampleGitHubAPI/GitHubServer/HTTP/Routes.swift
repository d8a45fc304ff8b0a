extension Route {
    /// The first matching pattern counts.
    static let all: [Route] = meta + users + repositories + issues + comments + issueLabels + labels + milestones

    private static let meta = [
        Route("GET", "/", documentation: "meta/meta#github-api-root", handler: Meta.root),
        Route(
            "GET", "/rate_limit",
            documentation: "rate-limit/rate-limit#get-rate-limit-status-for-the-authenticated-user",
            handler: Meta.rateLimit),
        Route("POST", "/graphql", documentation: "graphql/reference/mutations#deleteissue", handler: GraphQL.answer),
        Route(
            "GET", "/search/issues", documentation: "search/search#search-issues-and-pull-requests",
            handler: Search.issues),
    ]

    private static let users = [
        Route("GET", "/user", documentation: "users/users#get-the-authenticated-user", handler: Users.viewer),
        Route("GET", "/users/:login", documentation: "users/users#get-a-user", handler: Users.show),
        Route(
            "GET", "/users/:login/repos", documentation: "repos/repos#list-repositories-for-a-user",
            handler: Repositories.list),
    ]

    private static let repositories = [
        Route("GET", "/repos/:owner/:repo", documentation: "repos/repos#get-a-repository", handler: Repositories.show),
        Route(
            "PATCH", "/repos/:owner/:repo", documentation: "repos/repos#update-a-repository", handler: Repositories.edit
        ),
    ]

    private static let issues = [
        Route("GET", repo("/issues"), documentation: "issues/issues#list-repository-issues", handler: Issues.list),
        Route("POST", repo("/issues"), documentation: "issues/issues#create-an-issue", handler: Issues.create),
        Route("GET", repo("/issues/:number"), documentation: "issues/issues#get-an-issue", handler: Issues.show),
        Route("PATCH", repo("/issues/:number"), documentation: "issues/issues#update-an-issue", handler: Issues.edit),
    ]

    private static let comments = [
        Route(
            "GET", repo("/issues/comments/:id"), documentation: "issues/comments#get-an-issue-comment",
            handler: Comments.show),
        Route(
            "PATCH", repo("/issues/comments/:id"), documentation: "issues/comments#update-an-issue-comment",
            handler: Comments.edit),
        Route(
            "DELETE", repo("/issues/comments/:id"), documentation: "issues/comments#delete-an-issue-comment",
            handler: Comments.delete),
        Route(
            "GET", repo("/issues/:number/comments"), documentation: "issues/comments#list-issue-comments",
            handler: Comments.list),
        Route(
            "POST", repo("/issues/:number/comments"), documentation: "issues/comments#create-an-issue-comment",
            handler: Comments.create),
    ]

    private static let issueLabels = [
        Route(
            "GET", repo("/issues/:number/labels"), documentation: "issues/labels#list-labels-for-an-issue",
            handler: IssueLabels.list),
        Route(
            "POST", repo("/issues/:number/labels"), documentation: "issues/labels#add-labels-to-an-issue",
            handler: IssueLabels.add),
        Route(
            "PUT", repo("/issues/:number/labels"), documentation: "issues/labels#set-labels-for-an-issue",
            handler: IssueLabels.replace),
        Route(
            "DELETE", repo("/issues/:number/labels"), documentation: "issues/labels#remove-all-labels-from-an-issue",
            handler: IssueLabels.removeAll),
        Route(
            "DELETE", repo("/issues/:number/labels/:name"), documentation: "issues/labels#remove-a-label-from-an-issue",
            handler: IssueLabels.remove),
    ]

    private static let labels = [
        Route(
            "GET", repo("/labels"), documentation: "issues/labels#list-labels-for-a-repository", handler: Labels.list),
        Route("POST", repo("/labels"), documentation: "issues/labels#create-a-label", handler: Labels.create),
        Route("GET", repo("/labels/:name"), documentation: "issues/labels#get-a-label", handler: Labels.show),
        Route("PATCH", repo("/labels/:name"), documentation: "issues/labels#update-a-label", handler: Labels.edit),
        Route("DELETE", repo("/labels/:name"), documentation: "issues/labels#delete-a-label", handler: Labels.delete),
    ]

    private static let milestones = [
        Route("GET", repo("/milestones"), documentation: "issues/milestones#list-milestones", handler: Milestones.list),
        Route(
            "POST", repo("/milestones"), documentation: "issues/milestones#create-a-milestone",
            handler: Milestones.create),
        Route(
            "GET", repo("/milestones/:number"), documentation: "issues/milestones#get-a-milestone",
            handler: Milestones.show),
        Route(
            "PATCH", repo("/milestones/:number"), documentation: "issues/milestones#update-a-milestone",
            handler: Milestones.edit),
        Route(
            "DELETE", repo("/milestones/:number"), documentation: "issues/milestones#delete-a-milestone",
            handler: Milestones.delete),
    ]

    private static func repo(_ path: String) -> String { "/repos/:owner/:repo" + path }
}
