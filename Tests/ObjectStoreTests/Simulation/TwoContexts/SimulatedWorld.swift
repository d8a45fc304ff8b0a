import ObjectStore
import RestfulData

/// Models that belong together, of which one program's store is made.
@MainActor
struct SimulatedWorld {
    let models: [any Model.Type]
    let kinds: [Kind]
    /// Whether some share a table.
    var hasClasses = false

    static let all = [forge, staff, customers, shelves, activity]

    private nonisolated static func text(_ number: Int) -> String { "\"v\(number)\"" }

    /// One to many, many to many on both sides and on one, one to one, and an owned list.
    static let forge = SimulatedWorld(
        models: [
            User.self, Profile.self, Repository.self, Topic.self, Issue.self, Label.self, Comment.self,
        ],
        kinds: [
            Kind(User.self, \.identifier, tag: \.login) { User(in: $0) }.with(
                Attribute("name", \User.name, { $0 == 0 ? nil : "v\($0)" }, json: text),
                Attribute("score", \User.score, { Double($0) }),
                relations: [
                    .list("repositories", \User.repositories, inverse: "owner") { $0.repositories.contains($1) },
                    .link("profile", \User.profile, inverse: "user") { $0.profile == $1 },
                ]),
            Kind(Profile.self, \.identifier) { Profile(in: $0) }.with(
                Attribute("bio", \Profile.bio, { "v\($0)" }, json: text),
                relations: [.link("user", \Profile.user, inverse: "profile") { $0.user == $1 }]),
            Kind(Repository.self, \.identifier, tag: \.name) { Repository(in: $0) }.with(
                Attribute("stars", \Repository.stars, { $0 }),
                relations: [
                    .link("owner", \Repository.owner, inverse: "repositories") { $0.owner == $1 },
                    .list("issues", \Repository.issues, inverse: "repository") { $0.issues.contains($1) },
                    .list("topics", \Repository.topics, inverse: "repositories") { $0.topics.contains($1) },
                ]),
            Kind(Topic.self, named: "name", \.name) { Topic(in: $0) }.with(relations: [
                .list("repositories", \Topic.repositories, inverse: "topics") { $0.repositories.contains($1) }
            ]),
            Kind(Issue.self, \.identifier, tag: \.title) { Issue(in: $0) }.with(
                Attribute("number", \Issue.number, { $0 }),
                Attribute("state", \Issue.state, { $0 % 2 == 0 ? .open : .closed }, json: { _ in "\"open\"" }),
                relations: [
                    .link("repository", \Issue.repository, inverse: "issues") { $0.repository == $1 },
                    .link("assignee", \Issue.assignee) { $0.assignee == $1 },
                    .list("labels", \Issue.labels) { $0.labels.contains($1) },
                    .list("comments", \Issue.comments, inverse: "issue") { $0.comments.contains($1) },
                ]),
            Kind(Label.self, \.identifier) { Label(in: $0) }.with(
                Attribute("color", \Label.color, { $0 == 0 ? nil : "v\($0)" }, json: text)),
            Kind(Comment.self, \.identifier, tag: \.body) { Comment(in: $0) }.with(relations: [
                .link("issue", \Comment.issue, inverse: "comments") { $0.issue == $1 }
            ]),
        ])

    /// A class that leads to itself in every way.
    static let staff = SimulatedWorld(
        models: [Employee.self],
        kinds: [
            Kind(Employee.self, \.identifier, tag: \.name) { Employee(in: $0) }.with(relations: [
                .link("manager", \Employee.manager, inverse: "reports") { $0.manager == $1 },
                .list("reports", \Employee.reports, inverse: "manager") { $0.reports.contains($1) },
                .list("follows", \Employee.follows, inverse: "followers") { $0.follows.contains($1) },
                .list("followers", \Employee.followers, inverse: "follows") { $0.followers.contains($1) },
                .link("stands_in_for", \Employee.standsInFor, inverse: "stood_in_for_by") { $0.standsInFor == $1 },
                .link("stood_in_for_by", \Employee.stoodInForBy, inverse: "stands_in_for") { $0.stoodInForBy == $1 },
            ])
        ])

    /// Nested embedded objects, and their links.
    static let customers = SimulatedWorld(
        models: [Customer.self, Address.self, Phone.self, Line.self, Country.self],
        kinds: [
            Kind(Customer.self, \.identifier, tag: \.name) { Customer(in: $0) }.with(
                Attribute("address", of: Customer.self, read: readAddress, write: editAddress) { number in
                    number == 0
                        ? "null"
                        : """
                        {"street": "s\(number)", "country": \(number < 3 ? "null" : "{\"code\": \"t\(number)\"}"),
                         "lines": [\((0..<number / 2).map { "{\"text\": \"l\($0)\"}" }.joined(separator: ","))]}
                        """
                },
                Attribute("phones", of: Customer.self, read: readPhones, write: editPhones) { number in
                    "[" + (0..<number / 2).map { "{\"number\": \"p\($0)\"}" }.joined(separator: ",") + "]"
                }),
            Kind(Country.self, named: "code", \.code) { Country(in: $0) }.with(
                Attribute("name", \Country.name, { "v\($0)" }, json: text)),
        ])

    private nonisolated static func readAddress(_ customer: Customer) -> String {
        guard let address = customer.address else { return "nil" }
        return "\(address.street) \(address.zip ?? "-") \(address.country?.code ?? "-") \(address.lines.map(\.text))"
    }

    private nonisolated static func editAddress(_ customer: Customer, _ number: Int) {
        guard let context = customer.context else { return }
        guard let address = customer.address, number > 0 else {
            customer.address = number % 2 == 1 ? nil : Address(in: context)
            return
        }
        switch number {
        case 1: address.street = "edited \(number)"
        case 2: address.zip = "z"
        case 3: address.country = try? context.query(Country.self).first()
        case 4: address.country = nil
        case 5:
            let line = Line(in: context)
            line.text = "edited"
            address.lines.append(line)
        case 6: address.lines = Array(address.lines.dropFirst())
        default: address.lines.first?.text = "again \(number)"
        }
    }

    private nonisolated static func readPhones(_ customer: Customer) -> String {
        customer.phones.map { "\($0.number) \($0.kind ?? "-") \($0.customer === customer)" }.joined(separator: ", ")
    }

    private nonisolated static func editPhones(_ customer: Customer, _ number: Int) {
        guard let context = customer.context else { return }
        switch number {
        case 0: customer.phones = []
        case 1: customer.phones = Array(customer.phones.dropLast())
        case 2: customer.phones.reverse()
        case 3: customer.phones.last?.kind = "k"
        case 4: customer.phones.first?.number = "edited"
        default:
            let phone = Phone(in: context)
            phone.number = "n\(number)"
            if number == 5 { phone.customer = customer } else { customer.phones.insert(phone, at: 0) }
        }
    }

    /// Ownership, and delete rules that cascade or deny.
    static let shelves = SimulatedWorld(
        models: [Chapter.self, Note.self, Shelf.self, Book.self, Page.self, Tool.self],
        kinds: [
            Kind(Chapter.self, \.identifier) { Chapter(in: $0) }.with(relations: [
                .link("parent", \Chapter.parent, inverse: "parts") { $0.parent == $1 },
                .list("parts", \Chapter.parts, inverse: "parent") { $0.parts.contains($1) },
                .list("notes", \Chapter.notes) { $0.notes.contains($1) },
                .link("cover", \Chapter.cover) { $0.cover == $1 },
            ]),
            Kind(Note.self, \.identifier) { Note(in: $0) }.with(
                Attribute("text", \Note.text, { "v\($0)" }, json: text)),
            Kind(Shelf.self, \.identifier) { Shelf(in: $0) }.with(relations: [
                .list("books", \Shelf.books, inverse: "shelf") { $0.books.contains($1) },
                .list("tools", \Shelf.tools) { $0.tools.contains($1) },
                .link("keeper", \Shelf.keeper) { $0.keeper == $1 },
            ]),
            Kind(Book.self, \.identifier) { Book(in: $0) }.with(relations: [
                .link("shelf", \Book.shelf, inverse: "books") { $0.shelf == $1 },
                .list("pages", \Book.pages, inverse: "book") { $0.pages.contains($1) },
                .list("tools", \Book.tools) { $0.tools.contains($1) },
                .link("cover", \Book.cover) { $0.cover == $1 },
            ]),
            Kind(Page.self, \.identifier) { Page(in: $0) }.with(relations: [
                .link("book", \Page.book, inverse: "pages") { $0.book == $1 },
                .link("next", \Page.next) { $0.next == $1 },
                .link("pinned_by", \Page.pinnedBy) { $0.pinnedBy == $1 },
            ]),
            Kind(Tool.self, \.identifier) { Tool(in: $0) },
        ])

    /// Models that share a table.
    static let activity = SimulatedWorld(
        models: Activity.models,
        kinds: [
            Kind(PushEvent.self, \.identifier) { PushEvent(in: $0) }.with(
                Attribute("note", \PushEvent.note, { $0 == 0 ? nil : "v\($0)" }, json: text),
                Attribute("size", \PushEvent.size, { $0 }),
                relations: [
                    .link("project", \PushEvent.project, inverse: "pushes"),
                    .list("coauthors", \PushEvent.coauthors, to: "Person"),
                    .link("actor", \PushEvent.actor, to: "Organization"),
                ]),
            Kind(ForkEvent.self, \.identifier) { ForkEvent(in: $0) }.with(
                Attribute("note", \ForkEvent.note, { $0 == 0 ? nil : "v\($0)" }, json: text),
                relations: [.link("copy", \ForkEvent.copy), .link("actor", \ForkEvent.actor, to: "Person")]),
            Kind(Person.self, \.identifier, tag: \.login) { Person(in: $0) }.with(
                Attribute("is_admin", \Person.isAdmin, { $0 % 2 == 0 }),
                relations: [
                    .list("projects", \Person.projects, inverse: "owner"),
                    .list("organizations", \Person.organizations, inverse: "members"),
                ]),
            Kind(Organization.self, \.identifier, tag: \.login) { Organization(in: $0) }.with(relations: [
                .list("projects", \Organization.projects, inverse: "owner"),
                .list("members", \Organization.members, inverse: "organizations"),
            ]),
            Kind(Codebase.self, \.identifier, tag: \.name) { Codebase(in: $0) }.with(relations: [
                .link("owner", \Codebase.owner, to: "Person", inverse: "projects"),
                .link("lead", \Codebase.lead) { $0.lead == $1 },
                .list("pushes", \Codebase.pushes, inverse: "project") { $0.pushes.contains($1) },
            ]),
            Kind(Digest.self, \.identifier) { Digest(in: $0) }.with(relations: [
                .list("events", \Digest.events, to: "ForkEvent"),
                .list("forks", \Digest.forks) { $0.forks.contains($1) },
                .link("latest", \Digest.latest) { $0.latest == $1 },
            ]),
            // Submodels.
            Kind(Account.self, \.identifier, tag: \.login) { Account(in: $0) }.with(relations: [
                .list("projects", \Account.projects, inverse: "owner") { $0.projects.contains($1) }
            ]),
            Kind(Event.self, \.identifier) { Event(in: $0) },
        ], hasClasses: true)
}
