import RestfulData
import RestfulDataTesting
import Testing

/// Objects that are renamed by key while the server's answers about them are in flight.
@MainActor @Suite(.timeLimit(.minutes(10))) struct RenamingTests {
    private let held = HeldTransport()
    private let store: Store

    @Model("/members", key: "login", identity: "login") final class Member {
        var login: String?
        var name: String?
        @Relationship("/members/:login/staff", inverse: "boss") var staff: [Member]
        @Relationship(inverse: "staff") var boss: Member?
    }

    @Model("/notes") final class Note {
        var identifier: Int?
        @Relationship(inverse: nil) var owner: Member?
        @Relationship("/notes/:id/readers", inverse: nil) var readers: [Member]
    }

    init() throws {
        store = try Store.held(by: held, [Member.self, Note.self])
    }

    private func ada(isSaved: Bool) async throws -> Member {
        let ada = try await store.imported(Member.self, #"{"login": "ada", "name": "A"}"#)
        ada.login = "bob"
        if isSaved { try await store.main.save() }
        return ada
    }

    private func all() throws -> [String?] { try store.main.query(Member.self).order { $0.login }.fetch().map(\.login) }

    /// The requests from an index on, by their method, path and body.
    private func log(from index: Int = 0) -> [String] { Array(held.log[index...]) }

    // MARK: Unsent changes

    @Test(arguments: [false, true])
    func `A row with an edited identity is listed by its former one and saved at its old URL`(isSaved: Bool)
        async throws
    {
        let ada = try await ada(isSaved: isSaved)
        let main = store.main
        let asking = Task { try await Member.fetchAll(in: main).map(\.login) }
        await held.wait(for: 1)
        held.answer(0, .json(#"[{"login": "ada", "name": "B"}, {"login": "eve"}]"#))
        #expect(try await asking.value == ["bob", "eve"])
        #expect(ada.name == "B" && ada.unsentProperties == ["login"])
        let saving = Task { try await ada.save() }
        await held.wait(for: 2)
        held.answer(1, .status(204))
        try await saving.value
        #expect(log(from: 1) == [#"PATCH /members/ada {"login":"bob"}"#])
        #expect(ada.unsentProperties.isEmpty)
        // From now on it has the new name alone.
        let new = try await store.imported(Member.self, #"{"login": "ada", "name": "C"}"#)
        #expect(new !== ada && ada.name == "B")
        #expect(try await store.imported(Member.self, #"{"login": "bob", "name": "D"}"#) === ada)
    }

    @Test(arguments: [false, true]) func `A row with an edited identity is fetched by its former one`(isSaved: Bool)
        async throws
    {
        let ada = try await ada(isSaved: isSaved)
        let main = store.main
        for reply in [StubTransport.Reply.json(#"{"login": "ada", "name": "B"}"#), .status(304)] {
            let count = held.log.count
            let asking = Task {
                try await API.withHeaders([.ifNoneMatch: "\"a\""]) {
                    try await Member.fetch(key: "ada", in: main) === ada
                }
            }
            await held.wait(for: count + 1)
            held.answer(count, reply)
            #expect(try await asking.value)
        }
        #expect(ada.name == "B" && ada.login == "bob")
        #expect(try all() == ["bob"])
    }

    @Test func `Pending links to a new identity are resolved once the server has taken it`() async throws {
        let ada = try await ada(isSaved: true)
        let note = try await store.imported(Note.self, #"{"id": 1, "owner": "bob", "readers": ["bob"]}"#)
        #expect(note.owner == nil && note.readers.isEmpty)
        let saving = Task { try await ada.save() }
        await held.wait(for: 1)
        held.answer(0, .status(204))
        try await saving.value
        #expect(note.owner === ada && note.readers.map(\.login) == ["bob"])
    }

    @Test(arguments: [false, true]) func `A member listed by its former identity isn't deleted`(isSaved: Bool)
        async throws
    {
        let ada = try await ada(isSaved: isSaved)
        let note = try await store.imported(Note.self, #"{"id": 1, "readers": ["ada"]}"#)
        let removing = Task { await failure { try await note.$readers.delete(ada) } }
        await held.wait(for: 1)
        held.answer(0, .status(404))
        await held.wait(for: 2)
        held.answer(1, .json(#"[{"login": "ada"}]"#))
        #expect(await removing.value?.reply?.status == 404)
        #expect(log() == ["DELETE /notes/1/readers/ada", "GET /notes/1/readers"])
        #expect(note.readers.map(\.login) == ["bob"])
    }

    // MARK: Requests in flight

    @Test(arguments: [false, true]) func `A row whose identity is in flight is matched by either identity`(
        isSaved: Bool
    ) async throws {
        let ada = try await ada(isSaved: isSaved)
        let main = store.main
        let saving = Task { try await ada.save() }
        await held.wait(for: 1)
        for (index, body) in [#"[{"login": "ada", "name": "B"}]"#, #"[{"login": "bob", "name": "C"}]"#].enumerated() {
            let asking = Task { _ = try await Member.fetchAll(in: main) }
            await held.wait(for: index + 2)
            held.answer(index + 1, .json(body))
            try await asking.value
        }
        held.answer(0, .json(#"{"login": "bob", "name": "C"}"#))
        try await saving.value
        #expect(try all() == ["bob"])
        #expect(ada.login == "bob" && ada.name == "C" && !ada.hasChanges && ada.unsentProperties.isEmpty)
        #expect(try store.main.find(Member.self, "bob")?.name == "C")
    }

    @Test(arguments: [false, true]) func `After an unanswered rename, a row under the new identity is the renamed row`(
        isSaved: Bool
    )
        async throws
    {
        let ada = try await ada(isSaved: isSaved)
        let main = store.main
        let saving = Task { await failure { try await ada.save() } }
        await held.wait(for: 1)
        held.answer(0, .status(503))
        _ = await saving.value
        let asking = Task { _ = try await Member.fetchAll(in: main) }
        await held.wait(for: 2)
        held.answer(1, .json(#"[{"login": "bob", "name": "C"}]"#))
        try await asking.value
        #expect(try all() == ["bob"])
        #expect(ada.name == "C" && ada.unsentProperties.isEmpty)
    }

    @Test(arguments: [false, true])
    func `After the new identity was seen, an older answer's former one still matches`(isSaved: Bool)
        async throws
    {
        let ada = try await ada(isSaved: isSaved)
        let main = store.main
        let asking = Task { _ = try await Member.fetchAll(in: main) }
        await held.wait(for: 1)
        let saving = Task { await failure { try await ada.save() } }
        await held.wait(for: 2)
        held.answer(1, .status(503))
        _ = await saving.value
        let askingAgain = Task { _ = try await Member.fetchAll(in: main) }
        await held.wait(for: 3)
        held.answer(2, .json(#"[{"login": "bob", "name": "C"}]"#))
        try await askingAgain.value
        held.answer(0, .json(#"[{"login": "ada", "name": "Old"}]"#))
        try await asking.value
        #expect(try all() == ["bob"])
        #expect(ada.login == "bob" && ada.name == "C" && ada.unsentProperties.isEmpty)
    }

    @Test(arguments: [false, true]) func `A row moved to another parent is matched by its former parent`(isSaved: Bool)
        async throws
    {
        let service = try Service(stub: StubTransport { _ in .status(204) })
        let post = try await service.imported(Post.self, #"{"id": 1, "comments": [{"number": 1, "text": "A"}]}"#)
        let other = try await service.imported(Post.self, #"{"id": 2}"#)
        let remark = post.comments[0]
        remark.post = other
        if isSaved { try await service.main.save() }
        _ = try await service.imported(Post.self, #"{"id": 1, "comments": [{"number": 1, "text": "B"}]}"#)
        #expect(remark.text == "B" && remark.post === other && post.comments.isEmpty && other.comments.count == 1)
        #expect(try service.main.query(Remark.self).count() == 1)
    }

    @Test(arguments: [
        [#"[{"login": "ada", "name": "B"}, {"login": "bob", "name": "C"}]"#],
        [#"[{"login": "bob", "name": "C"}, {"login": "ada", "name": "B"}]"#],
        [
            #"[{"login": "eve", "staff": ["bob", "ada"]}, {"login": "ada", "name": "B"}]"#,
            #"[{"login": "bob", "name": "C"}]"#,
        ],
        [#"[{"login": "ada", "name": "B"}]"#, #"[{"login": "bob", "name": "C"}]"#],
    ])
    func `After an unanswered rename, both identities in a reply are two objects`(bodies: [String]) async throws {
        let ada = try await ada(isSaved: true)
        let main = store.main
        let saving = Task { await failure { try await ada.save() } }
        await held.wait(for: 1)
        held.answer(0, .status(503))
        _ = await saving.value
        for (index, body) in bodies.enumerated() {
            let asking = Task { await failure { _ = try await Member.fetchAll(in: main) } }
            await held.wait(for: index + 2)
            held.answer(index + 1, .json(body))
            _ = await asking.value
        }
        #expect(try all().filter { $0 != "eve" } == ["bob"])
        #expect(ada.name == "B" && ada.unsentProperties == ["login"])
        #expect(try store.main.find(Member.self, "eve").map { $0.staff.map(\.login) } ?? ["bob"] == ["bob"])
    }

    @Test func `During a rename, both identities in a reply are two objects`() async throws {
        let ada = try await ada(isSaved: true)
        let main = store.main
        let saving = Task { await failure { try await ada.save() } }
        await held.wait(for: 1)
        let asking = Task { _ = try await Member.fetchAll(in: main) }
        await held.wait(for: 2)
        held.answer(1, .json(#"[{"login": "bob", "name": "C"}, {"login": "ada", "name": "B"}]"#))
        try await asking.value
        held.answer(0, .status(422))
        #expect(await saving.value != nil)
        #expect(try all() == ["bob"])
        #expect(ada.name == "B" && ada.unsentProperties == ["login"])
    }

    /// Sends an edit without saving it.
    private func send(_ object: Member, as login: String, answering status: Int) async {
        object.login = login
        let count = held.log.count
        let saving = Task { await failure { try await object.save() } }
        await held.wait(for: count + 1)
        held.answer(count, .status(status))
        _ = await saving.value
    }

    @Test func `After an unsaved, unanswered rename, both identities are two objects`() async throws {
        let ada = try await ada(isSaved: false)
        await send(ada, as: "bob", answering: 503)
        let others = try await store.main.import(
            Member.self, from: Array(#"[{"login": "bob", "name": "C"}, {"login": "ada", "name": "B"}]"#.utf8)
        ).objects
        #expect(others.last === ada && others.first !== ada)
        #expect(ada.name == "B" && ada.login == "bob" && ada.unsentProperties == ["login"])
    }

    @Test func `A rejected identity is another object's, and an earlier unanswered one isn't`() async throws {
        let ada = try await ada(isSaved: false)
        await send(ada, as: "bob", answering: 503)
        await send(ada, as: "cid", answering: 422)
        #expect(try await store.imported(Member.self, #"{"login": "cid", "name": "C"}"#) !== ada)
        #expect(try await store.imported(Member.self, #"{"login": "bob", "name": "B"}"#) === ada)
        #expect(ada.name == "B" && ada.login == "cid" && ada.unsentProperties == ["login"])
        await send(ada, as: "dan", answering: 204)
        #expect(Array(held.log.suffix(1)) == [#"PATCH /members/bob {"login":"dan"}"#])
        #expect(try await store.imported(Member.self, #"{"login": "bob"}"#) !== ada)
    }

    @Test(arguments: [false, true]) func `A row renamed again after a lost answer is saved at the name it has taken`(
        isSaved: Bool
    ) async throws {
        let ada = try await ada(isSaved: false)
        await send(ada, as: "bob", answering: 503)
        ada.login = "cid"
        if isSaved { try await store.main.save() }
        #expect(try await store.imported(Member.self, #"{"login": "bob", "name": "B"}"#) === ada)
        #expect(ada.name == "B" && ada.login == "cid" && ada.unsentProperties == ["login"])
        await send(ada, as: "cid", answering: 204)
        #expect(Array(held.log.suffix(1)) == [#"PATCH /members/bob {"login":"cid"}"#])
        #expect(ada.unsentProperties.isEmpty)
        #expect(try all() == ["cid"])
    }

    @Test func `An object with the new identity is unified with the renamed row`() async throws {
        let ada = try await ada(isSaved: false)
        let twin = try await store.imported(Member.self, #"{"login": "bob", "name": "B"}"#)
        #expect(twin !== ada)
        let saving = Task { try await ada.save() }
        await held.wait(for: 1)
        twin.name = "C"
        held.answer(0, .json(#"{"login": "bob", "name": "A"}"#))
        try await saving.value
        #expect(ada.login == "bob" && ada.name == "C" && twin.name == "C" && ada.changedProperties == ["name"])
        ada.name = "D"
        try await store.main.save()
        #expect(twin.name == "D" && !twin.hasChanges && !ada.hasChanges)
        #expect(try all() == ["bob"])
        #expect(ada.unsentProperties == ["name"] && twin.unsentProperties == ["name"])
    }

    @Test func `A rejected identity belongs to another object`() async throws {
        let ada = try await ada(isSaved: true)
        let saving = Task { await failure { try await ada.save() } }
        await held.wait(for: 1)
        held.answer(0, .json(#"{"errors": {"login": ["is taken"]}}"#, status: 422))
        _ = await saving.value
        let report = try await store.main.import(
            Member.self, from: Array(#"[{"login": "bob", "name": "C"}, {"login": "ada"}]"#.utf8)
        ).report
        #expect(report.rejected.map(\.reason) == [.claimedIdentity])
        #expect(ada.name == "A" && ada.unsentProperties == ["login"])
        #expect(try all() == ["bob"])
    }

    @Test(arguments: [false, true]) func `The server may normalize a new identity`(isSaved: Bool) async throws {
        let ada = try await store.imported(Member.self, #"{"login": "ada", "name": "A"}"#)
        ada.login = "Bob"
        if isSaved { try await store.main.save() }
        let saving = Task { try await ada.save() }
        await held.wait(for: 1)
        held.answer(0, .json(#"{"login": "bob", "name": "A"}"#))
        try await saving.value
        #expect(ada.login == "bob" && ada.unsentProperties.isEmpty && !ada.hasChanges)
        #expect(try await store.imported(Member.self, #"{"login": "bob", "name": "B"}"#) === ada)
        #expect(try all() == ["bob"])
    }

    @Test(arguments: [false, true]) func `The server may keep the old identity`(isSaved: Bool) async throws {
        let ada = try await ada(isSaved: isSaved)
        let saving = Task { try await ada.save() }
        await held.wait(for: 1)
        held.answer(0, .json(#"{"login": "ada", "name": "B"}"#))
        try await saving.value
        #expect(ada.login == "ada" && ada.name == "B" && ada.unsentProperties.isEmpty && !ada.hasChanges)
        #expect(try await store.imported(Member.self, #"{"login": "ada", "name": "C"}"#) === ada)
        #expect(try all() == ["ada"])
    }

    @Test func `A new object created under a former identity is a separate object`() async throws {
        let ada = try await ada(isSaved: true)
        let new = Member(in: store.main)
        (new.login, new.name) = ("ada", "New")
        try await store.main.save()
        let creating = Task { try await new.create() }
        await held.wait(for: 1)
        held.answer(0, .json(#"{"login": "ada", "name": "New"}"#, status: 201))
        try await creating.value
        #expect(try all() == ["ada", "bob"])
        #expect(new.login == "ada" && ada.login == "bob" && ada.name == "A" && new.unsentProperties.isEmpty)
    }

    @Test(arguments: [false, true]) func `A new object fetched under a former identity is unified with the renamed row`(
        isSaved: Bool
    ) async throws {
        let ada = try await ada(isSaved: true)
        let new = Member(in: store.main)
        new.login = "ada"
        if isSaved { try await store.main.save() }
        let fetching = Task { try await new.fetch() }
        await held.wait(for: 1)
        held.answer(0, .json(#"{"login": "ada", "name": "B"}"#))
        try await fetching.value
        #expect(try all() == ["bob"])
        #expect(new.login == "bob" && new.name == "B" && ada.name == "B")
        #expect(new.unsentProperties == ["login"] && !new.hasChanges)
    }

    // MARK: Earlier requests

    /// Sends a request, renames ada meanwhile, and answers then.
    private func asking(
        isSaved: Bool, _ ask: @escaping @MainActor () async throws -> Void,
        meanwhile: (Member) async throws -> Void = { _ in },
        _ answer: StubTransport.Reply
    ) async throws -> Member {
        let ada = try await ada(isSaved: isSaved)
        let asking = Task { try await ask() }
        await held.wait(for: 1)
        let saving = Task { try await ada.save() }
        await held.wait(for: 2)
        held.answer(1, .status(204))
        try await saving.value
        try await meanwhile(ada)
        held.answer(0, answer)
        try await asking.value
        return ada
    }

    @Test(arguments: [false, true]) func `A list requested before a rename matches the former identity`(isSaved: Bool)
        async throws
    {
        let main = store.main
        let ada = try await asking(
            isSaved: isSaved, { _ = try await Member.fetchAll(in: main) },
            .json(#"[{"login": "ada", "name": "Old"}, {"login": "eve", "boss": {"login": "ada"}}]"#))
        #expect(try all() == ["bob", "eve"])
        #expect(ada.login == "bob" && ada.name == "A" && ada.staff.map(\.login) == ["eve"])
        #expect(try await store.imported(Member.self, #"{"login": "ada"}"#) !== ada, "the name is free again")
    }

    @Test(arguments: [false, true]) func `Links and lists requested before a rename match the former identity`(
        isSaved: Bool
    ) async throws {
        let main = store.main
        let ada = try await asking(
            isSaved: isSaved, { _ = try await Note.fetchAll(in: main) },
            .json(#"[{"id": 1, "owner": "ada", "readers": ["ada", "eve"]}, {"id": 2, "owner_id": "ada"}]"#))
        let notes = try store.main.query(Note.self).order { $0.identifier }.fetch()
        #expect(notes.map(\.owner?.login) == ["bob", "bob"] && notes[0].readers.map(\.login) == ["bob"])
        #expect(ada.login == "bob")
        #expect(try all() == ["bob"])
    }

    @Test(arguments: [false, true]) func `A renamed and deleted object doesn't return from an older list`(isSaved: Bool)
        async throws
    {
        let main = store.main
        let ada = try await asking(
            isSaved: isSaved, { _ = try await Member.fetchAll(in: main) },
            meanwhile: { ada in
                main.delete(ada)
                try await main.save()
            }, .json(#"[{"login": "ada", "name": "Old"}, {"login": "eve"}]"#))
        #expect(ada.isDeleted)
        #expect(try all() == ["eve"])
    }

    @Test func `An object deleted with an unsent identity doesn't return by its former one`() async throws {
        let ada = try await ada(isSaved: true)
        let main = store.main
        let asking = Task { _ = try await Member.fetchAll(in: main) }
        await held.wait(for: 1)
        main.delete(ada)
        try await main.save()
        held.answer(0, .json(#"[{"login": "ada"}, {"login": "eve"}]"#))
        try await asking.value
        #expect(try all() == ["eve"])
    }

    @Test(arguments: [false, true]) func `A list requested before a rename keeps the renamed member`(isSaved: Bool)
        async throws
    {
        let eve = try await store.imported(Member.self, #"{"login": "eve", "staff": [{"login": "ada"}]}"#)
        let ada = try await asking(
            isSaved: isSaved, { _ = try await eve.$staff.fetch() }, .json(#"[{"login": "ada"}, {"login": "dan"}]"#))
        #expect(Set(eve.staff.map(\.login)) == ["bob", "dan"] && ada.boss === eve)
        #expect(try all() == ["bob", "dan", "eve"])
    }

    @Test func `Another object under a former identity isn't updated by an older answer`() async throws {
        let main = store.main
        let ada = try await asking(
            isSaved: true, { _ = try await Member.fetchAll(in: main) },
            meanwhile: { _ in _ = try await store.imported(Member.self, #"{"login": "ada", "name": "New"}"#) },
            .json(#"[{"login": "ada", "name": "Old"}]"#))
        #expect(ada.name == "A")
        #expect(try store.main.find(Member.self, "ada")?.name == "New")
    }

    // MARK: As part of another identity

    @Model("/shelves", key: "code", identity: "code") final class Shelf {
        var code: String?
        var books: [Book]
    }

    @Model("/shelves/:shelf.code/books", key: "number", identity: "shelf", "number") final class Book {
        var shelf: Shelf?
        var number: Int?
    }

    @Model("/loans") final class Loan {
        var identifier: Int?
        @Relationship(inverse: nil) var book: Book?
        @Relationship(inverse: nil) var others: [Book]
    }

    @Test(arguments: [false, true])
    func `Pending links through a renamed owner are resolved once it is renamed`(isSaved: Bool) async throws {
        let store = try Store.held(by: held, [Shelf.self, Book.self, Loan.self])
        let book = try await store.imported(Book.self, #"{"shelf": {"code": "a"}, "number": 7}"#)
        let shelf = try #require(book.shelf)
        let loan = try await store.imported(
            Loan.self,
            #"{"id": 1, "book": {"shelf": "b", "number": 7}, "others": [{"shelf": "b", "number": 7}]}"#)
        #expect(loan.book == nil && loan.others.isEmpty)
        shelf.code = "b"
        if isSaved { try await store.main.save() }
        let saving = Task { try await shelf.save() }
        await held.wait(for: 1)
        held.answer(0, .json(#"{"code": "b"}"#))
        try await saving.value
        #expect(loan.book === book && loan.others.first === book && !store.main.hasChanges)
    }
}
