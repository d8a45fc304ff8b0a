import RestfulData
import Testing

/// The output of `store.explain`: the whole text.
@MainActor @Suite struct ExplanationTests {
    private let store: Store

    init() throws {
        store = try Store(
            .temporary, models: GitHub.models, api: API("https://api.github.com", conventions: .github))
    }

    @Test func `The explanation of a user lists names, table and routes`() {
        #expect(
            store.explain(User.self) == """
                User
                  table     user  (words joined with "_")
                  identity  identifier; in URLs: login

                  Attributes
                    identifier   ← "id"          identifier INTEGER     "id" ↔ "identifier" (default convention)
                    login        ← "login"       login TEXT             the name as it is
                    name         ← "name"        name TEXT              the name as it is
                    avatarURL    ← "avatar_url"  avatar_url TEXT        "url" ↔ "URL" (default convention), words joined with "_"
                    isSiteAdmin  ← "site_admin"  is_site_admin INTEGER  explicit in the declaration
                    createdAt    ← "created_at"  created_at REAL        words joined with "_"

                  Relationships
                    repositories  → [Repository]  ← "repositories" or "repository_ids"
                      the name as it is; column repository.owner_id; inverse Repository.owner (declared); not sent

                  Routes
                    index                 GET /users                             the base URL
                    create                POST /users                            the base URL
                    fetch                 GET /users/:login                      the base URL and the key "login"
                    save                  PATCH /users/:login                    the base URL and the key "login"
                    delete                DELETE /users/:login                   the base URL and the key "login"
                    $repositories.fetch   GET /users/:login/repos                registered
                    $repositories.add     POST /users/:login/repos               registered
                    $repositories.delete  DELETE /users/:login/repos/:full_name  registered

                  Bodies
                    a list in a reply  at "items" or bare  the API's conventions

                  Offline
                    a write                            is sent at once       StoreOptions(writes:)
                    a queued creation without a reply  waits for a decision  the API's conventions
                    a change carries                   no condition          the API's conventions
                    a conflict of a queued change      waits for a decision  the API's conventions

                """)
    }

    @Test func `The explanation of an issue lists names, table and routes`() {
        #expect(
            store.explain(Issue.self) == """
                Issue
                  table     issue  (words joined with "_")
                  identity  identifier; in URLs: number

                  Attributes
                    identifier  ← "id"          identifier INTEGER  "id" ↔ "identifier" (default convention)
                    number      ← "number"      number INTEGER      the name as it is
                    title       ← "title"       title TEXT          the name as it is
                    body        ← "body"        body TEXT           the name as it is
                    state       ← "state"       state TEXT          the name as it is
                    createdAt   ← "created_at"  created_at REAL     words joined with "_"
                    updatedAt   ← "updated_at"  updated_at REAL     words joined with "_"; never sent

                  Relationships
                    user        → User        ← "user" or "user_id"
                      the name as it is; column user_id; sent as "user_id"
                    repository  → Repository  ← "repository" or "repository_id"
                      the name as it is; column repository_id; inverse Repository.issues (the only way back); said by the URL, so not sent
                    assignees   → [User]      ← "assignees" or "assignee_ids"
                      the name as it is; table issue_assignees; sent as "assignees" by login
                    labels      → [Label]     ← "labels" or "label_ids"
                      the name as it is; table issue_labels; sent as "labels" by name
                    milestone   → Milestone   ← "milestone" or "milestone_id"
                      the name as it is; column milestone_id; sent as "milestone" by number
                    comments    → [Comment]   ← "comment_list" or "comment_list_ids"
                      explicit in the declaration; column comment.issue_id; inverse Comment.issue (the only way back); not sent

                  Routes
                    index             GET /repos/:repository.full_name/issues                          the base URL
                    create            POST /repos/:repository.full_name/issues                         the base URL
                    fetch             GET /repos/:repository.full_name/issues/:number                  the base URL and the key "number"
                    save              PATCH /repos/:repository.full_name/issues/:number                the base URL and the key "number"
                    delete            DELETE /repos/:repository.full_name/issues/:number               the base URL and the key "number"
                    $comments.fetch   GET /repos/:repository.full_name/issues/:number/comments         registered
                    $comments.add     POST /repos/:repository.full_name/issues/:number/comments        registered
                    $comments.delete  DELETE /repos/:repository.full_name/issues/:number/comments/:id  registered

                  Bodies
                    a list in a reply  at "items" or bare  the API's conventions

                  Offline
                    a write                            is sent at once       StoreOptions(writes:)
                    a queued creation without a reply  waits for a decision  the API's conventions
                    a change carries                   no condition          the API's conventions
                    a conflict of a queued change      waits for a decision  the API's conventions

                """)
    }

    @Test func `The explanation of a repository lists names, table and routes`() {
        #expect(
            store.explain(Repository.self) == """
                Repository
                  table     repository  (words joined with "_")
                  identity  identifier; in URLs: fullName

                  Attributes
                    identifier       ← "id"                identifier INTEGER        "id" ↔ "identifier" (default convention)
                    fullName         ← "full_name"         full_name TEXT            words joined with "_"
                    summary          ← "description"       summary TEXT              explicit in the declaration
                    isPrivate        ← "private"           is_private INTEGER        explicit in the declaration
                    stargazersCount  ← "stargazers_count"  stargazers_count INTEGER  words joined with "_"

                  Relationships
                    owner       → User         ← "owner" or "owner_id"
                      the name as it is; column owner_id; inverse User.repositories (declared there); sent as "owner_id"
                    issues      → [Issue]      ← "issues" or "issue_ids"
                      the name as it is; column issue.repository_id; inverse Issue.repository (the only way back); not sent
                    labels      → [Label]      ← "labels" or "label_ids"
                      the name as it is; column label.repository_id; inverse Label.repository (the only way back); not sent
                    milestones  → [Milestone]  ← "milestones" or "milestone_ids"
                      the name as it is; column milestone.repository_id; inverse Milestone.repository (the only way back); not sent

                  Routes
                    index               GET /repos                                   the base URL
                    create              POST /repos                                  the base URL
                    fetch               GET /repos/:full_name                        the base URL and the key "full_name", whose slashes stand as they are
                    save                PATCH /repos/:full_name                      the base URL and the key "full_name", whose slashes stand as they are
                    delete              DELETE /repos/:full_name                     the base URL and the key "full_name", whose slashes stand as they are
                    $issues.fetch       GET /repos/:full_name/issues                 derived from Issue's base URL
                    $issues.add         POST /repos/:full_name/issues                derived from Issue's base URL
                    $issues.delete      DELETE /repos/:full_name/issues/:number      derived from Issue's base URL
                    $labels.fetch       GET /repos/:full_name/labels                 derived from Label's base URL
                    $labels.add         POST /repos/:full_name/labels                derived from Label's base URL
                    $labels.delete      DELETE /repos/:full_name/labels/:name        derived from Label's base URL
                    $milestones.fetch   GET /repos/:full_name/milestones             derived from Milestone's base URL
                    $milestones.add     POST /repos/:full_name/milestones            derived from Milestone's base URL
                    $milestones.delete  DELETE /repos/:full_name/milestones/:number  derived from Milestone's base URL

                  Bodies
                    a list in a reply  at "items" or bare  the API's conventions

                  Offline
                    a write                            is sent at once       StoreOptions(writes:)
                    a queued creation without a reply  waits for a decision  the API's conventions
                    a change carries                   no condition          the API's conventions
                    a conflict of a queued change      waits for a decision  the API's conventions

                """)
    }

    @Test func `The explanation of a store lists its models in order`() {
        #expect(store.explain().hasPrefix(store.explain(User.self) + "\n" + store.explain(Repository.self)))
    }

    @Test func `The explanation of an unknown class names it as unknown`() {
        #expect(store.explain(Post.self) == "Post is not among the models that this store was opened with.")
    }

    @Test func `The explanation lists access, identity and sending of properties`() throws {
        let store = try Store(.temporary, models: Blog.models, api: API("https://example.com", saveMethod: .put))
        let text = store.explain(Post.self) + store.explain(Remark.self)
        for line in [
            #"password     ← "password"        password TEXT       the name as it is; never taken from replies, and forgotten once sent"#,
            "sent at creation only", "never sent", "sent whole", "not sent", #"sent as "reader_ids""#, "PUT /posts/:id",
            "identity  post, number; in URLs: number", "said by the URL, so not sent",
        ] {
            #expect(text.contains(line), "\(line)")
        }
    }

    @Test func `The explanation of a store without an API has no routes`() throws {
        let store = try Store(.temporary, models: Blog.models)
        #expect(!store.explain(Post.self).contains("Routes"))
    }

    @Test func `The explanation of a class that inherits has the paging of its parent`() throws {
        let store = try Store(
            .temporary, models: [Exhibit.self, PaintedExhibit.self], api: API("https://example.com"))
        let line = #"the next page  "from" with the number of elements before it  named in @Model(paging:)"#
        #expect(store.explain(Exhibit.self).contains(line))
        #expect(store.explain(PaintedExhibit.self).contains(line))
    }
}

@Model("/exhibits", discriminator: "kind", paging: .offset(parameter: "from"))
class Exhibit {
    var identifier: Int?
    var kind = ""
}

@Model(inherits: Exhibit.self, as: "painting")
final class PaintedExhibit: Exhibit {
    var width = 0
}
