import Foundation
import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

/// A context on top of another: it shows the other's objects and is saved into it.
@MainActor
@Suite struct DraftTests {
    let store: Store
    let repository: Repository
    let issues: [Issue]

    init() async throws {
        store = try Store(of: World.models + [Customer.self, Address.self, Phone.self, Line.self, Country.self])
        repository = try #require(
            try await store.main.take(
                Repository.self,
                """
                {"id": 1, "name": "r", "owner": {"id": 1, "login": "a", "profile": {"id": 1}},
                 "topics": [{"name": "x"}, {"name": "y"}], "issues": [
                 {"id": 1, "title": "one", "labels": [{"id": 1, "name": "bug"}]}, {"id": 2, "title": "two"}]}
                """
            ).objects.first)
        issues = repository.issues
    }

    @Test func `Edits in a draft are invisible outside it until it is saved`() async throws {
        let draft = try store.main.draft()
        let form = try #require(draft.object(for: issues[0]))
        #expect(form !== issues[0] && form.context === draft.context && draft.object(for: form) === form)
        #expect(!draft.hasChanges && !form.hasChanges)
        form.title = "changed"
        form.state = .closed
        #expect(issues[0].title == "one" && !issues[0].hasChanges && !store.main.hasChanges)
        #expect(draft.hasChanges && form.hasChanges && form.changedProperties == ["title", "state"])
        try draft.save()
        #expect(issues[0].title == "changed" && issues[0].changedProperties == ["title", "state"])
        #expect(form.title == "changed" && !form.hasChanges && !draft.hasChanges && form.changedProperties.isEmpty)
        // All of it stays in memory until the context is saved.
        #expect(try await store.background { try $0.find(Issue.self, 1)?.title } == "one")
        try await store.main.save()
        #expect(try await store.background { try $0.find(Issue.self, 1)?.title } == "changed")
        #expect(form.title == "changed" && !draft.hasChanges)
    }

    @Test func `A draft's property set to its context's edit follows the context again`() throws {
        let draft = try store.main.draft()
        let form = try #require(draft.object(for: issues[0]))
        form.title = "mine"
        issues[0].title = "theirs"
        #expect(form.title == "mine" && draft.hasChanges)
        form.title = "theirs"
        #expect(!draft.hasChanges)
        issues[0].title = "later"
        #expect(form.title == "later" && !draft.hasChanges)
        store.main.rollback()
        #expect(form.title == "one" && !draft.hasChanges)
    }

    @Test func `A released draft leaves no trace`() async throws {
        weak var context: ObjectContext?
        weak var form: Issue?
        do {
            let draft = try store.main.draft()
            context = draft.context
            form = draft.object(for: issues[0])
            form?.title = "never"
            _ = Issue(in: draft.context)
        }
        #expect(context == nil && form == nil && store.main.watch.drafts.isEmpty)
        #expect(issues[0].title == "one" && !store.main.hasChanges)
        issues[0].title = "later"
        try await store.main.save()
    }

    @Test func `An object of another store isn't found in a context, even after its context ended`() async throws {
        let gone: Issue
        do {
            let other = try Store(of: World.models)
            gone = try #require(
                try await other.main.take(Issue.self, #"{"id": 1, "title": "theirs"}"#).objects.first)
            #expect(store.main.object(for: gone) == nil)
        }
        #expect(gone.title == "theirs" && store.main.object(for: gone) == nil)
    }

    @Test func `An object of a released draft keeps its values and has no context`() throws {
        var draft: Draft? = try store.main.draft()
        let form = try #require(draft?.object(for: issues[0]))
        form.title = "kept"
        draft = nil
        #expect(form.title == "kept" && form.context == nil)
    }

    @Test func `A draft shows and follows the unsaved edits of its context`() async throws {
        issues[0].title = "mine"
        let new = Issue(in: store.main)
        new.title = "new"
        new.repository = repository
        store.main.delete(issues[1])
        let draft = try store.main.draft()
        let context = draft.context
        let copy = try #require(draft.object(for: new))
        #expect(draft.object(for: issues[0])?.title == "mine" && copy.title == "new" && copy.isInserted)
        #expect(draft.object(for: issues[1]) == nil)
        #expect(try context.query(Issue.self).order(by: { $0.title }).fetch().map(\.title) == ["mine", "new"])
        #expect(copy.repository === draft.object(for: repository))
        #expect(draft.object(for: repository)?.issues.map(\.title) == ["mine", "new"])
        #expect(!draft.hasChanges && !copy.hasChanges)

        issues[0].title = "again"
        new.repository = nil
        #expect(draft.object(for: issues[0])?.title == "again" && copy.repository == nil)
        #expect(draft.object(for: repository)?.issues.map(\.title) == ["again"])
        store.main.rollback()
        #expect(draft.object(for: issues[0])?.title == "one" && copy.isDeleted)
        #expect(draft.object(for: repository)?.issues.map(\.title) == ["one", "two"])
        #expect(!draft.hasChanges && !context.hasChanges)
    }

    @Test func `Saving a draft overwrites its context's edits of the same properties`() async throws {
        let draft = try store.main.draft()
        let form = try #require(draft.object(for: issues[0]))
        issues[0].title = "before"
        form.title = "form"
        issues[0].title = "after"
        issues[0].number = 7
        #expect(form.title == "form" && form.number == 7)
        try draft.save()
        #expect(issues[0].title == "form" && issues[0].number == 7)
        #expect(issues[0].changedProperties == ["number", "title"])
    }

    @Test func `A draft's return to the file's value is an edit if its context has another value`() async throws {
        issues[0].title = "mine"
        let draft = try store.main.draft()
        let form = try #require(draft.object(for: issues[0]))
        form.title = "one"
        issues[0].number = 7
        #expect(form.title == "one" && form.hasChanges && form.number == 7)
        try draft.save()
        #expect(issues[0].title == "one" && issues[0].changedProperties == ["number"])
    }

    @Test func `New objects, links and deletions move into the context when a draft is saved`() async throws {
        let draft = try store.main.draft()
        let form = try #require(draft.object(for: repository))
        let new = Issue(in: draft.context)
        new.title = "new"
        new.repository = form
        let label = Label(in: draft.context)
        label.name = "fresh"
        new.labels = [label] + (draft.object(for: issues[0])?.labels ?? [])
        let second = try #require(draft.object(for: issues[1]))
        draft.context.delete(second)
        form.owner = nil
        #expect(repository.issues.count == 2 && repository.owner?.login == "a")
        try draft.save()

        let made = try #require(store.main.object(for: new))
        #expect(made !== new && made.isInserted && made.title == "new" && made.repository === repository)
        #expect(made.labels.map(\.name) == ["fresh", "bug"] && store.main.object(for: label)?.isInserted == true)
        #expect(issues[1].isDeleted && repository.issues.map(\.title) == ["one", "new"] && repository.owner == nil)
        #expect(try store.main.query(Issue.self).count() == 2)
        try await store.main.save()
        #expect(try await store.background { try $0.find(Repository.self, 1)?.issues.map(\.title) } == ["one", "new"])
        // The draft's own objects are the same rows, and go on.
        #expect(!draft.hasChanges && !new.isInserted && second.isDeleted)
        new.title = "newer"
        try draft.save()
        #expect(made.title == "newer")
    }

    @Test func `Saving a draft applies the members it added and removed`() async throws {
        let labels = try await store.main.take(
            Label.self, #"[{"id": 2, "name": "b"}, {"id": 3, "name": "c"}, {"id": 4, "name": "d"}]"#
        ).objects
        issues[0].labels.append(labels[0])
        let draft = try store.main.draft()
        let form = try #require(draft.object(for: issues[0]))
        #expect(form.labels.map(\.name) == ["bug", "b"])
        form.labels = form.labels.reversed() + [draft.object(for: labels[1])].compactMap(\.self)
        issues[0].labels.append(labels[2])
        issues[0].labels.removeAll { $0.name == "bug" }
        #expect(Set(form.labels.map(\.name)) == ["b", "c", "d"])
        try draft.save()
        #expect(issues[0].labels.map(\.name) == ["b", "c", "d"] && form.labels.map(\.name) == ["b", "c", "d"])
    }

    @Test func `Rolling back a draft shows its context's values`() async throws {
        issues[0].title = "mine"
        let new = Issue(in: store.main)
        new.title = "new"
        let draft = try store.main.draft()
        let (form, copy) = (try #require(draft.object(for: issues[0])), try #require(draft.object(for: new)))
        let own = Issue(in: draft.context)
        (form.title, copy.title) = ("a", "b")
        form.repository = nil
        draft.context.delete(try #require(draft.object(for: issues[1])))
        draft.rollback()
        #expect(form.title == "mine" && copy.title == "new" && own.isDeleted && !copy.isDeleted)
        #expect(draft.object(for: issues[1])?.title == "two" && form.repository === draft.object(for: repository))
        #expect(!draft.hasChanges && draft.object(for: new) === copy)

        (form.title, form.number) = ("a", 3)
        form.rollback(\.title)
        #expect(form.title == "mine" && form.changedProperties == ["number"])
        form.rollback()
        #expect(form.number == nil && form.title == "mine" && !draft.hasChanges)
        copy.title = "c"
        copy.rollback()
        #expect(copy.title == "new" && !copy.isDeleted && new.title == "new")
        #expect(issues[0].title == "mine" && store.main.hasChanges)
    }

    @Test func `Other contexts' commits reach a draft and keep its edits`() async throws {
        let draft = try store.main.draft()
        let form = try #require(draft.object(for: issues[0]))
        form.title = "form"
        try await store.takeElsewhere(Issue.self, #"{"id": 1, "title": "theirs", "number": 5}"#)
        await until { form.number == 5 }
        #expect(form.title == "form" && issues[0].title == "theirs")
        try draft.save()
        #expect(issues[0].title == "form" && issues[0].changedProperties == ["title"])
    }

    @Test func `An object deleted in another context is deleted in a draft`() async throws {
        let draft = try store.main.draft()
        let form = try #require(draft.object(for: issues[0]))
        form.title = "form"
        try await store.background { context in
            if let issue = try context.find(Issue.self, 1) { context.delete(issue) }
        }
        await until { form.isDeleted }
        #expect(throws: StoreError.self) { try draft.save() }
        try draft.save()
        #expect(issues[0].isDeleted && !store.main.hasChanges && !draft.hasChanges)
    }

    @Test(arguments: [false, true])
    func `A draft's edits of an object that its context has deleted are lost, which is reported`(
        isSaved: Bool
    ) async throws {
        let draft = try store.main.draft()
        let form = try #require(draft.object(for: issues[0]))
        form.title = "form"
        draft.object(for: issues[1])?.title = "kept"
        store.main.delete(issues[0])
        if isSaved { try await store.main.save() }
        #expect(form.isDeleted && draft.hasChanges)
        #expect(throws: StoreError.self) { try draft.save() }
        #expect(issues[0].isDeleted && issues[1].title == "kept" && !draft.hasChanges)
        try draft.save()
    }

    @Test func `A draft of a draft is saved into the outer draft`() throws {
        let outer = try store.main.draft()
        let inner = try outer.context.draft()
        issues[0].title = "mine"
        let (first, second) = (outer.object(for: issues[0]), inner.object(for: issues[0]))
        #expect(first?.title == "mine" && second?.title == "mine")
        second?.title = "inner"
        let new = Label(in: inner.context)
        new.name = "new"
        try inner.save()
        #expect(first?.title == "inner" && issues[0].title == "mine" && outer.hasChanges && !inner.hasChanges)
        #expect(outer.object(for: new)?.name == "new" && store.main.object(for: new) == nil)
        try outer.save()
        #expect(issues[0].title == "inner" && store.main.object(for: new)?.name == "new" && !outer.hasChanges)
    }

    @Test func `A draft fails to save after its store was closed`() async throws {
        let held = try await store.background { context in
            let draft = try context.draft()
            let form = try #require(try draft.context.find(Issue.self, 1))
            form.title = "form"
            #expect(try context.find(Issue.self, 1)?.title == "one")
            try draft.save()
            return true
        }
        #expect(held)
        #expect(try await store.background { try $0.find(Issue.self, 1)?.title } == "form")
        let draft = try store.main.draft()
        store.close()
        #expect(await failure { try draft.save() } == "\(StoreError.closedStore(unsaved: []))")
        #expect(await failure { _ = try draft.context.draft() } == "\(StoreError.closedStore(unsaved: []))")
    }

    @Test func `Queries, counts and live results of a draft use its edits`() throws {
        let draft = try store.main.draft()
        let context = draft.context
        let open = try context.query(Issue.self).where { $0.state == .open }.live()
        #expect(open.count == 2)
        issues[1].state = .closed
        #expect(open.map(\.title) == ["one"])
        draft.object(for: issues[0])?.state = .closed
        #expect(open.isEmpty && (try? context.query(Issue.self).where { $0.state == .open }.exists()) == false)
        #expect(try store.main.query(Issue.self).where { $0.state == .open }.count() == 1)
        draft.rollback()
        #expect(open.map(\.title) == ["one"])
    }

    @Test func `A save of the context wakes no live results of its draft`() async throws {
        issues[0].title = "mine"
        repository.topics.reverse()
        let draft = try store.main.draft()
        let form = try #require(draft.object(for: issues[0]))
        let shown = try draft.context.query(Issue.self).order(by: { $0.title }).live()
        let changes = shown.changes.makeAsyncIterator()
        #expect(try await changes.next()?.insertions == [0, 1])
        try await store.main.save()
        #expect(form.title == "mine" && !draft.hasChanges)
        issues[1].title = "other"
        let change = try #require(try await changes.next())
        #expect(change.changes == [1] && change.insertions.isEmpty && change.removals.isEmpty)
        #expect(shown.map(\.title) == ["mine", "other"])
    }

    @Test func `A query's updates and deletions in a draft stay there until it is saved`() async throws {
        let draft = try store.main.draft()
        let query = draft.context.query(Issue.self)
        #expect(try await query.update { [$0.title.set(to: "all")] } == 2)
        #expect(try await query.limit(1).delete() == 1)
        #expect(issues.map(\.title) == ["one", "two"] && !issues[0].isDeleted)
        try draft.save()
        #expect(issues[0].isDeleted && issues[1].title == "all")
    }

    @Test func `Deleting an object that is new in the context is a change of the draft`() async throws {
        let new = Issue(in: store.main)
        let draft = try store.main.draft()
        let copy = try #require(draft.object(for: new))
        draft.context.delete(copy)
        #expect(draft.hasChanges && copy.isDeleted && !new.isDeleted && draft.object(for: new) == nil)
        draft.rollback()
        #expect(!draft.hasChanges && !copy.isDeleted && draft.object(for: new) === copy)
        draft.context.delete(copy)
        new.title = "edited meanwhile"
        #expect(draft.hasChanges && copy.isDeleted && draft.object(for: new) == nil)
        try draft.save()
        #expect(new.isDeleted && !draft.hasChanges && !store.main.hasChanges)

        let own = Issue(in: draft.context)
        own.title = "own"
        try draft.save()
        #expect(
            try await draft.context.query(Issue.self).where({ $0.title == "own" }).delete() == 1 && draft.hasChanges)
        try draft.save()
        #expect(try store.main.query(Issue.self).count() == 2 && !store.main.hasChanges)
    }

    @Test func `A draft's property set back to its context's value is no change`() throws {
        issues[0].title = "mine"
        let draft = try store.main.draft()
        let form = try #require(draft.object(for: issues[0]))
        form.title = "form"
        form.title = "mine"
        #expect(!draft.hasChanges && !form.hasChanges)
        store.main.rollback()
        #expect(form.title == "one")
    }

    @Test func `Embedded objects are edited in a draft with their owner`() async throws {
        let customer = try #require(
            try await store.main.take(
                Customer.self,
                #"{"id": 1, "address": {"street": "s"}, "phones": [{"number": "1"}, {"number": "2"}]}"#
            ).objects.first)
        let draft = try store.main.draft()
        let form = try #require(draft.object(for: customer))
        form.address?.street = "t"
        let phone = Phone(in: draft.context)
        phone.number = "3"
        form.phones.append(phone)
        form.phones.removeAll { $0.number == "1" }
        #expect(customer.address?.street == "s" && customer.phones.map(\.number) == ["1", "2"])
        try draft.save()
        #expect(customer.address?.street == "t" && customer.phones.map(\.number) == ["2", "3"])
        try await store.main.save()
        #expect(form.phones.map(\.number) == ["2", "3"] && !draft.hasChanges)
        #expect(
            try await store.background { try $0.find(Customer.self, 1)?.phones.map(\.number) } == ["2", "3"])
    }

    @Test func `A one-to-one partner moved in a draft moves in the context on save`() async throws {
        let users = try await store.main.take(User.self, #"[{"id": 1}, {"id": 2, "login": "b"}]"#).objects
        let profile = try #require(users[0].profile)
        let draft = try store.main.draft()
        draft.object(for: users[1])?.profile = draft.object(for: profile)
        #expect(profile.user === users[0])
        #expect(draft.object(for: users[0])?.profile == nil)
        try draft.save()
        #expect(profile.user === users[1] && users[0].profile == nil && users[1].profile === profile)
    }

    @Test func `Observers of a draft's object are woken by edits in its context`() throws {
        let draft = try store.main.draft()
        let form = try #require(draft.object(for: issues[0]))
        let title = Tracker { form.title }
        let hasChanges = Tracker { form.hasChanges }
        let below = Tracker { issues[0].title }
        issues[0].number = 5
        #expect(title.takeWakings() == 0 && hasChanges.takeWakings() == 0 && below.takeWakings() == 0)
        issues[0].title = "other"
        #expect(title.takeWakings() == 1 && hasChanges.takeWakings() == 0 && below.takeWakings() == 1)
        form.title = "mine"
        #expect(title.takeWakings() == 1 && hasChanges.takeWakings() == 1 && below.takeWakings() == 0)
        try draft.save()
        #expect(title.takeWakings() == 0 && hasChanges.takeWakings() == 1 && below.takeWakings() == 1)
    }

    @Test func `A refused edit in a draft is reported when the draft is saved`() async throws {
        let draft = try store.main.draft()
        let form = try #require(draft.object(for: issues[0]))
        form.title = "form"
        form.repository = repository
        #expect(await failure { try draft.save() } == "\(StoreError.foreignObject(model: "Repository"))")
        #expect(form.title == "form" && issues[0].title == "one" && draft.hasChanges)
        try draft.save()
        #expect(issues[0].title == "form")
    }

    @Test func `Queries of a draft use its context's unsaved edits of lists`() async throws {
        let draft = try store.main.draft()
        let query = draft.context.query(Issue.self)
        let live = try query.where { $0.labels.count == 2 }.live()
        #expect(live.isEmpty)
        let label = Label(in: store.main)
        label.name = "new"
        issues[0].labels.append(label)
        let form = try #require(draft.object(for: issues[0]))
        #expect(try query.where { $0.labels.contains { $0.name == "new" } }.fetch().first === form)
        #expect(live.map(\.identifier) == [1])
        form.labels.removeLast()
        #expect(try query.where { $0.labels.count == 2 }.count() == 0)
        #expect(live.isEmpty)
        #expect(try store.main.query(Issue.self).where { $0.labels.count == 2 }.count() == 1)
        // Only the target of the link is edited.
        let repositories = draft.context.query(Repository.self)
        #expect(try repositories.where { $0.topics.isEmpty }.count() == 0)
        repository.topics = []
        #expect(try repositories.where { $0.topics.isEmpty }.count() == 1)
    }

    @Test func `A draft's edit of a one-to-one link wins on both sides`() async throws {
        let store = try Store(of: World.models)
        let employees = try await store.main.take(Employee.self, #"[{"id": 1}, {"id": 2}, {"id": 3}]"#).objects
        let draft = try store.main.draft()
        let forms = employees.compactMap { draft.object(for: $0) }
        forms[1].standsInFor = forms[2]
        for other in [employees[0], employees[2]] {
            other.standsInFor = employees[2]
            #expect(forms[2].stoodInForBy === forms[1] && forms.map { $0.standsInFor?.identifier } == [nil, 3, nil])
            #expect(try draft.context.query(Employee.self).where { $0.standsInFor == forms[2] }.fetch() == [forms[1]])
            #expect(employees[2].stoodInForBy === other && other.standsInFor === employees[2])
        }
        try draft.save()
        #expect(employees.map { $0.standsInFor?.identifier } == [nil, 3, nil])
        #expect(employees[2].stoodInForBy === employees[1])
    }

    @Test func `A draft removes a member that only an unsaved link has added`() async throws {
        let users = try await store.main.take(User.self, #"[{"id": 1}, {"id": 2}]"#).objects
        repository.owner = users[1]
        let draft = try store.main.draft()
        let forms = users.compactMap { draft.object(for: $0) }
        #expect(forms.map(\.repositories.count) == [0, 1])
        forms[1].repositories.removeAll()
        #expect(users.map(\.repositories.count) == [0, 1])
        try draft.save()
        #expect(repository.owner == nil && users.map(\.repositories.count) == [0, 0])
        #expect(forms.map(\.repositories.count) == [0, 0])
    }

    /// Others have deleted and created the identity again, so the context's object is another one.
    @Test(arguments: [false, true])
    func `A new object renamed in a draft becomes a new object of the draft`(_ isRolledBack: Bool) async throws {
        let customer = Customer(in: store.main)
        (customer.identifier, customer.name) = (2, "mine")
        let draft = try store.main.draft()
        let form = try #require(draft.object(for: customer))
        form.identifier = 1005
        try await store.background { context in
            let other = Customer(in: context)
            (other.identifier, other.name) = (2, "theirs")
        }
        #expect(customer.name == "mine" && !customer.isInserted)
        if isRolledBack { store.main.rollback() }
        #expect(form.identifier == 1005 && form.name == "mine" && draft.hasChanges)
        form.phones = []
        try draft.save()
        let renamed = try #require(try store.main.find(Customer.self, 1005))
        #expect(renamed !== customer && renamed.isInserted && draft.object(for: renamed) === form)
        renamed.address = Address(in: store.main)
        try await store.main.save()
        #expect(!store.main.hasChanges && !draft.hasChanges && form.address != nil)
        let customers = try await store.background { context in
            try context.query(Customer.self).order { $0.identifier }.fetch().map { "\($0.identifier ?? 0) \($0.name)" }
        }
        let former = isRolledBack ? "theirs" : "mine"
        #expect(customers == ["2 \(former)", "1005 mine"])
    }
}
