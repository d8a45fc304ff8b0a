import Conventions
import Testing

@Suite struct ModelWordsTests {
    @Test(arguments: [
        ("User", "user"), ("PullRequest", "pull_request"), ("GitHubUser", "git_hub_user"),
        ("URLSession", "url_session"),
        ("HTTPServer", "http_server"), ("Model2", "model2"), ("user", "user"), ("OAuthToken", "o_auth_token"),
        ("Identifier", "identifier"),
    ])
    func `A table is named for its model`(_ model: String, _ table: String) {
        #expect(AttributeMapping.tableName(forModelNamed: model).name == table)
    }

    @Test func `A column is named for its property`() {
        #expect(AttributeMapping.columnName(forPropertyNamed: "avatarURL").name == "avatar_url")
        #expect(AttributeMapping.columnName(forPropertyNamed: "identifier").name == "identifier")
        #expect(AttributeMapping.columnName(forPropertyNamed: "title").explanation == "the name as it is")
    }

    @Test(arguments: [
        (JSONCase.snakeCase, "pull_request_id", "pull_request_ids"),
        (.camelCase, "pullRequestId", "pullRequestIds"),
        (.kebabCase, "pull-request-id", "pull-request-ids"),
        (.pascalCase, "PullRequestId", "PullRequestIds"),
    ])
    func `Foreign keys and lists of identities are named for their relationship`(
        jsonCase: JSONCase, one: String, many: String
    ) {
        let mapping = AttributeMapping(.default.writing(jsonCase))
        #expect(mapping.foreignKeyName(for: "pullRequest").name == one)
        #expect(mapping.identifierListName(for: "pullRequests").name == many)
    }

    @Test(arguments: [
        ("labels", "label_ids"), ("people", "person_ids"), ("categories", "category_ids"), ("statuses", "status_ids"),
        ("staff", "staff_ids"), ("avatarURLs", "avatar_url_ids"), ("_links", "_link_ids"), ("line2s", "line2_ids"),
    ])
    func `A list of identities is named with the relationship's singular`(_ relationship: String, _ name: String) {
        #expect(AttributeMapping(.default).identifierListName(for: relationship).name == name)
    }

    @Test(arguments: [
        (JSONCase.snakeCase, "PullRequest", "pull_request", "pull_requests"),
        (.camelCase, "PullRequest", "pullRequest", "pullRequests"),
        (.kebabCase, "BlogEntry", "blog-entry", "blog-entries"),
        (.pascalCase, "Person", "Person", "People"), (.snakeCase, "News", "news", "news"),
    ])
    func `An envelope is named for its model`(jsonCase: JSONCase, model: String, object: String, list: String) {
        let mapping = AttributeMapping(.default.writing(jsonCase))
        #expect(mapping.objectName(forModelNamed: model).name == object)
        #expect(mapping.listName(forModelNamed: model).name == list)
    }

    @Test func `Conventions and explicit names decide the names of foreign keys`() {
        let mapping = AttributeMapping(.default.registering(json: "repo", swift: "repository"))
        #expect(mapping.foreignKeyName(for: "repository").name == "repo_id")
        #expect(mapping.foreignKeyName(for: "owner", explicitName: "author").name == "author_id")
        #expect(mapping.identifierListName(for: "labels", explicitName: "tags").name == "tag_ids")
        #expect(mapping.foreignKeyName(for: "owner").explanation == "the identity of \"owner\"")
    }
}
