import ObjectStore
import RestfulData

/// Models of which several share a table.
enum Activity {
    static let models: [any Model.Type] = [
        Event.self, PushEvent.self, ForkEvent.self, Account.self, Person.self, Organization.self, Codebase.self,
        Digest.self,
    ]
}

@Model("/events", discriminator: "type")
class Event {
    var identifier: Int?
    var type = ""
    var note: String?
    var actor: Account?
}

@Model("/pushes", inherits: Event.self)
final class PushEvent: Event {
    var size = 0
    @Attribute("ref") var branch: String?
    var project: Codebase?
    var coauthors: [Account]
}

@Model(inherits: Event.self, as: "ForkEvent", "Copy")
final class ForkEvent: Event {
    var size = 0
    @Attribute("ref") var source: String?
    @Relationship(inverse: nil) var copy: Codebase?
}

/// An enum of models that are distinguished by a key of a nested object.
@Model("/accounts", discriminator: "kind")
class Account {
    enum Kind: String { case person, organization, robot }

    var identifier: Int?
    @Attribute("meta.kind") var kind: Kind?
    var login = ""
    @Relationship(inverse: "owner") var projects: [Codebase]
}

@Model(inherits: Account.self, as: "person")
final class Person: Account {
    var isAdmin = false
    @Relationship(inverse: "members") var organizations: [Organization]
}

@Model(inherits: Account.self, as: "organization")
final class Organization: Account {
    var members: [Person]
}

@Model
final class Codebase {
    var identifier: Int?
    var name = ""
    var owner: Account?
    @Relationship(inverse: nil) var lead: Person?
    @Relationship(inverse: "project") var pushes: [PushEvent]
}

/// Lists of all and of one kind, in the server's order.
@Model
final class Digest {
    var identifier: Int?
    @Relationship(inverse: nil) var events: [Event]
    @Relationship(inverse: nil) var forks: [ForkEvent]
    @Relationship(inverse: nil) var latest: PushEvent?
}

extension Store {
    /// The class of each event, by its identity.
    func eventClasses() async throws -> [Int: String] {
        try await background { context in
            let events = try context.query(Event.self).fetch()
            return Dictionary(
                uniqueKeysWithValues: events.map { ($0.identifier ?? 0, "\(Swift.type(of: $0 as AnyObject))") })
        }
    }
}
