import ObjectStore
import RestfulData
import TestSupport
import Testing

/// Relationships to models that share a table, and of them.
@MainActor
@Suite struct InheritedRelationshipTests {
    private func names(_ objects: [some Model]) -> [String] { objects.map { "\(Swift.type(of: $0 as AnyObject))" } }

    @Test func `A nested object gets the class that its discriminator names`() async throws {
        let store = try Store(of: Activity.models)
        let json =
            #"{"id": 1, "owner": {"id": 2, "meta": {"kind": "organization"}, "members": [{"id": 3}, {"id": 4}]}}"#
        let codebase = try #require(try await store.main.take(Codebase.self, json).objects.first)
        let owner = try #require(codebase.owner as? Organization)
        #expect(owner.projects.map { $0 === codebase } == [true])
        // An organization's members are persons.
        #expect(names(owner.members) == ["Person", "Person"])
        #expect(owner.members.map { $0.organizations.map { $0 === owner } } == [[true], [true]])
        try await store.takeElsewhere(Codebase.self, #"{"id": 1, "owner": {"id": 3}}"#)
        #expect(codebase.owner === owner.members[0] && owner.projects.isEmpty)
    }

    @Test func `Lists of several classes keep their order`() async throws {
        let store = try Store(of: Activity.models)
        let json = """
            {"id": 1, "events": [{"id": 3, "type": "ForkEvent"}, {"id": 1}, {"id": 2, "type": "push_event"}, {"id": 3}, 9],
             "latest": {"id": 2}, "forks": [3, {"id": 4}]}
            """
        let imported = try await store.main.take(Digest.self, json)
        let digest = try #require(imported.objects.first)
        #expect(names(digest.events) == ["ForkEvent", "Event", "PushEvent"])
        #expect(digest.latest === digest.events[2])
        #expect(names(digest.forks) == ["ForkEvent", "ForkEvent"] && digest.forks[0] === digest.events[0])
        #expect(imported.report.pendingLinks == 1 && imported.report.rejectedCount == 0)
        try await store.takeElsewhere(Event.self, #"{"id": 9, "type": "ForkEvent"}"#)
        #expect(digest.events.map(\.identifier) == [3, 1, 2, 9] && names(digest.events).last == "ForkEvent")
    }

    @Test func `An object of an unexpected class isn't linked, and is reported`() async throws {
        let store = try Store(of: Activity.models)
        try await store.main.take(Digest.self, #"{"id": 1, "latest": {"id": 1, "size": 4}, "forks": [{"id": 2}]}"#)
        let report = try await store.main.take(
            Digest.self,
            #"{"id": 1, "latest": {"id": 3, "type": "Copy"}, "forks": [{"id": 2}, {"id": 4, "type": "PushEvent"}, 1, 3]}"#
        ).report
        #expect(report.mismatched.map(\.description) == ["latest: a ForkEvent where a PushEvent was expected"])
        #expect(
            report.rejected.map(\.description) == [
                "forks[1]: a PushEvent where a ForkEvent was expected",
                "forks[2]: a PushEvent where a ForkEvent was expected",
            ])
        let digest = try #require(try store.main.find(Digest.self, 1))
        #expect(digest.latest?.identifier == 1 && digest.forks.map(\.identifier) == [2, 3])
        #expect(try await store.eventClasses() == [1: "PushEvent", 2: "ForkEvent", 3: "ForkEvent", 4: "PushEvent"])
        let byID = try await store.main.take(Digest.self, #"{"id": 1, "latest_id": 2}"#).report
        #expect(byID.mismatchedCount == 1 && digest.latest?.identifier == 1)
    }

    @Test func `A pending link to an object of an unexpected class reads as nil`() async throws {
        let store = try Store(of: Activity.models)
        try await store.main.take(Digest.self, #"{"id": 1, "latest_id": 7, "fork_ids": [8]}"#)
        let digest = try #require(try store.main.find(Digest.self, 1))
        try await store.takeElsewhere(Event.self, #"[{"id": 7, "type": "Copy"}, {"id": 8, "type": "PushEvent"}]"#)
        #expect(digest.latest == nil && digest.forks.isEmpty)
        try await store.takeElsewhere(Event.self, #"[{"id": 7, "type": "PushEvent"}, {"id": 8, "type": "Copy"}]"#)
        #expect(digest.latest?.identifier == 7 && digest.forks.map(\.identifier) == [8])
    }

    @Test func `A list leaves out a member that becomes another class`() async throws {
        let store = try Store(of: Activity.models)
        let json = """
            {"id": 1, "pushes": [{"id": 1}, {"id": 2}], "lead": {"id": 5}, "owner": {"id": 5}}
            """
        let codebase = try #require(try await store.main.take(Codebase.self, json).objects.first)
        #expect(codebase.pushes.map(\.identifier) == [1, 2] && codebase.lead === codebase.owner)
        let push = try #require(codebase.pushes.last)
        try await store.takeElsewhere(Event.self, #"{"id": 2, "type": "Copy"}"#)
        try await store.takeElsewhere(Account.self, #"{"id": 5, "meta": {"kind": "organization"}}"#)
        #expect(codebase.pushes.map(\.identifier) == [1])
        #expect(codebase.lead == nil && codebase.owner is Organization)
        #expect(push.project === codebase)
    }

    @Test func `Both sides of a relationship between submodels follow an edit`() async throws {
        let store = try Store(of: Activity.models)
        let codebase = Codebase(in: store.main)
        let push = PushEvent(in: store.main)
        let person = Person(in: store.main)
        let organization = Organization(in: store.main)
        push.project = codebase
        push.coauthors = [person, organization]
        organization.members = [person]
        codebase.owner = organization
        #expect(
            codebase.pushes.map { $0 === push } == [true] && person.organizations.map { $0 === organization } == [true])
        codebase.owner = person
        codebase.lead = person
        #expect(organization.projects.isEmpty && person.projects.map { $0 === codebase } == [true])
        try await store.main.save()
        let seen = try await store.background { context in
            let push = try #require(try context.query(PushEvent.self).first())
            return (
                push.coauthors.map { "\(Swift.type(of: $0 as AnyObject))" }, push.project?.lead === push.project?.owner,
                push.coauthors.first === push.project?.owner, push.project?.pushes.count
            )
        }
        #expect(seen == (["Person", "Organization"], true, true, 1))
        #expect(try store.check() == [])
    }

    /// It is another event now, and hidden in a list of forks; the server still has it in the list.
    @Test(arguments: ["append", "assign", "remove"])
    func `A member that becomes another class stays in the file's list`(_ edit: String) async throws {
        let store = try Store(of: Activity.models)
        try await store.main.take(Digest.self, #"{"id": 1, "forks": [{"id": 2}, {"id": 3}, {"id": 4}]}"#)
        let digest = try #require(try store.main.find(Digest.self, 1))
        try await store.main.take(Event.self, #"[{"id": 3, "type": "PushEvent"}, {"id": 5, "type": "ForkEvent"}]"#)
        #expect(digest.forks.map(\.identifier) == [2, 4])
        let fork = try #require(try store.main.find(ForkEvent.self, 5))
        switch edit {
        case "append": digest.forks.append(fork)
        case "assign": digest.forks = [fork]
        default: digest.forks.remove(at: 0)
        }
        let shown = ["append": [2, 4, 5], "assign": [5]][edit] ?? [4]
        #expect(digest.forks.map(\.identifier) == shown)
        try await store.main.save()
        #expect(digest.forks.map(\.identifier) == shown)
        try await store.main.take(Event.self, #"[{"id": 3, "type": "ForkEvent"}]"#)
        #expect(Set(digest.forks.map(\.identifier)) == Set(shown + [3]))
        #expect(try store.check() == [])
    }

    @Test func `Deleting objects of several classes leaves no links to them`() async throws {
        let store = try Store(of: Activity.models)
        try await store.main.take(
            Digest.self,
            #"{"id": 1, "events": [{"id": 1, "type": "Copy"}, {"id": 2}], "latest": {"id": 3}, "forks": [1]}"#)
        let digest = try #require(try store.main.find(Digest.self, 1))
        for event in try store.main.query(Event.self).fetch() where event.identifier != 2 { store.main.delete(event) }
        try await store.main.save()
        #expect(digest.events.map(\.identifier) == [2] && digest.forks.isEmpty && digest.latest == nil)
        #expect(try store.check() == [])
    }

    @Test func `A store without a submodel reads its rows as the parent`() async throws {
        let file = try TemporaryFile()
        var store: Store? = try Store(.file(file.path), models: Activity.models)
        try await store?.takeElsewhere(
            Event.self, #"[{"id": 1, "type": "PushEvent", "size": 3}, {"id": 2, "type": "ForkEvent", "note": "a"}]"#)
        store = nil
        let fewer = try Store(
            .file(file.path),
            models: [Event.self, Account.self, Codebase.self, Person.self, Organization.self, PushEvent.self])
        #expect(try fewer.main.query(PushEvent.self).fetch().map(\.size) == [3])
        #expect(try names(fewer.main.query(Event.self).fetch()) == ["PushEvent", "Event"])
    }
}
