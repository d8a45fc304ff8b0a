import Foundation
import Observation
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// Pending edits of a relationship to one of several models. Its hidden links act as one fact.
@MainActor @Suite struct ChoiceEditTests {
    @Model("/posts") final class Post {
        var identifier: Int?
        var title = ""
    }

    @Model("/events") final class Event {
        var identifier: Int?
    }

    // The macro's extension doesn't look into the type around the enum.
    @ModelChoice enum Subject {
        typealias Post = ChoiceEditTests.Post
        typealias Event = ChoiceEditTests.Event

        case post(Post)
        case event(Event)

        /// `post 1`.
        var text: String {
            switch self {
            case .post(let post): "post \(post.identifier ?? 0)"
            case .event(let event): "event \(event.identifier ?? 0)"
            }
        }
    }

    @Model("/notices") final class Notice {
        var identifier: Int?
        var text = ""
        var subject: Subject?
    }

    private static let models: [any Model.Type] = [Post.self, Event.self, Notice.self]

    /// A store with the objects 1 to 9 of each model, and a notice.
    private struct Setting {
        let store: Store
        let context: ObjectContext
        let notice: Notice

        func subject(_ text: String) throws -> Subject? {
            let parts = text.split(separator: " ")
            guard parts.count == 2, let number = Int(parts[1]) else { return nil }
            if parts[0] == "post" { return try context.find(Post.self, number).map(Subject.post) }
            return try context.find(Event.self, number).map(Subject.event)
        }

        func set(_ text: String) throws { notice.subject = try subject(text) }

        var text: String { notice.subject?.text ?? "nil" }

        /// The file has one target at most.
        func isConsistent() throws -> Bool {
            try context.query(Notice.self).where { $0.subject.is(Post.self) && $0.subject.is(Event.self) }.count() == 0
        }

        @MainActor func other() throws -> (Setting, side: ActorContext) {
            let side = store.context(on: MainActor.shared)
            let notice = try #require(try side.context.find(Notice.self, 1))
            return (Setting(store: store, context: side.context, notice: notice), side)
        }

        /// As the server says it.
        static func json(_ text: String) -> String {
            let parts = text.split(separator: " ")
            guard parts.count == 2 else { return #""subject_type": null, "subject_id": null"# }
            return #""subject_type": "\#(parts[0])", "subject_id": \#(parts[1])"#
        }

        @MainActor func receive(_ text: String) async throws {
            _ = try await store.imported(Notice.self, #"{"id": 1, \#(Self.json(text))}"#)
        }
    }

    private func setting(_ store: Store, _ subject: String) async throws -> Setting {
        for id in 1...9 {
            _ = try await store.imported(Post.self, #"{"id": \#(id)}"#)
            _ = try await store.imported(Event.self, #"{"id": \#(id)}"#)
        }
        let notice = try await store.imported(
            Notice.self, #"{"id": 1, "text": "n", \#(Setting.json(subject))}"#)
        return Setting(store: store, context: store.main, notice: notice)
    }

    private func service(at location: Store.Location = .temporary) throws -> Service {
        try Service(Self.models, location: location, stub: StubTransport { _ in .status(204) })
    }

    private func pair(_ text: String) -> String {
        let parts = text.split(separator: " ")
        guard parts.count == 2 else { return #"{"subject_type":null,"subject_id":null}"# }
        return #"{"subject_type":"\#(parts[0])","subject_id":\#(parts[1])}"#
    }

    private nonisolated static let bases = ["nil", "post 1", "event 5"]
    private nonisolated static let edits = ["nil", "post 2", "event 6"]

    // MARK: Alone

    @Test(arguments: bases, edits)
    func `An edit that is set back is none`(base: String, edit: String) async throws {
        let setting = try await setting(service().store, base)
        for isSaved in [false, true] {
            try setting.set(edit)
            let isEdited = base != edit
            #expect(setting.text == edit && setting.notice.hasChanges == isEdited)
            if isSaved { try await setting.context.save() }
            #expect(setting.notice.unsentProperties == (isEdited ? ["subject"] : []))
            try setting.set(base)
            #expect(setting.text == base)
            if isSaved { try await setting.context.save() }
            #expect(!setting.notice.hasChanges && setting.notice.unsentProperties == [])
            #expect(try setting.context.unsent().isEmpty && setting.isConsistent())
        }
    }

    @Test(arguments: bases, edits)
    func `Rollback, undo and redo take the relationship as one property`(base: String, edit: String) async throws {
        let setting = try await setting(service().store, base)
        try setting.set(edit)
        setting.notice.rollback(\.subject)
        #expect(setting.text == base && !setting.notice.hasChanges)
        try setting.set(edit)
        setting.context.rollback()
        #expect(setting.text == base && !setting.notice.hasChanges)
        let history = setting.context.recordUndo()
        try history.group { try setting.set(edit) }
        try history.group { try setting.set("event 9") }
        history.undo()
        #expect(setting.text == edit)
        if edit != base { history.undo() }
        #expect(setting.text == base && !setting.notice.hasChanges)
        if edit != base { history.redo() }
        #expect(setting.text == edit)
        try await setting.context.save()
        #expect(try setting.text == edit && setting.isConsistent())
    }

    @Test(arguments: bases, edits)
    func `A draft has an edit of its own until it is saved`(base: String, edit: String) async throws {
        let setting = try await setting(service().store, base)
        let draft = try setting.context.draft()
        let notice = try #require(draft.object(for: setting.notice))
        let side = Setting(store: setting.store, context: draft.context, notice: notice)
        try side.set(edit)
        #expect(side.text == edit && setting.text == base)
        try setting.set("event 8")
        #expect(side.text == (edit == base ? "event 8" : edit))
        try side.set(edit)
        try draft.save()
        #expect(setting.text == edit)
        try await setting.context.save()
        #expect(try setting.text == edit && setting.isConsistent())
    }

    // MARK: Replies beneath an edit

    @Test(arguments: bases, edits)
    func `A fetch beneath a pending edit leaves the edit`(base: String, edit: String) async throws {
        for isSaved in [false, true] {
            for news in ["nil", "post 3", "event 7"] {
                let service = try service()
                let setting = try await setting(service.store, base)
                try setting.set(edit)
                if isSaved { try await setting.context.save() }
                guard base != edit else { continue }
                try await setting.receive(news)
                #expect(setting.text == edit, "\(base), \(edit), \(news)")
                if news == edit { #expect(!setting.notice.hasChanges && setting.notice.unsentProperties == []) }
                _ = try await setting.store.imported(Notice.self, #"{"id": 1, "text": "m"}"#)
                #expect(setting.text == edit && setting.notice.text == "m")
                try await setting.notice.save()
                #expect(try setting.text == edit && setting.isConsistent())
                #expect(try setting.notice.unsentProperties == [] && setting.context.unsent().isEmpty)
                try await setting.receive(news)
                #expect(try setting.text == news && setting.isConsistent())
            }
        }
    }

    // MARK: In flight

    @Test(arguments: [false, true], [false, true])
    func `An edit made while another one is in flight is sent next`(isSaved: Bool, isEcho: Bool) async throws {
        for (base, first, second) in [
            ("nil", "post 1", "event 2"), ("post 1", "event 2", "post 1"), ("event 5", "event 6", "nil"),
            ("event 5", "post 1", "event 6"), ("nil", "post 1", "post 2"),
        ] {
            let transport = HeldTransport()
            let setting = try await setting(Store.held(by: transport, Self.models), base)
            try setting.set(first)
            if isSaved { try await setting.context.save() }
            let request = Task { try await setting.notice.save() }
            await transport.wait(for: 1)
            try setting.set(second)
            if isSaved { try await setting.context.save() }
            #expect(setting.text == second)
            transport.answer(
                0, isEcho ? .json(#"{"id": 1, \#(Setting.json(first))}"#) : .status(204))
            try await request.value
            #expect(setting.text == second && setting.notice.unsentProperties == ["subject"])
            #expect(try setting.isConsistent())
            let next = Task { try await setting.notice.save() }
            await transport.wait(for: 2)
            transport.answer(1, .status(204))
            try await next.value
            #expect(setting.text == second && setting.notice.unsentProperties == [])
            #expect(try setting.context.unsent().isEmpty && setting.isConsistent())
            #expect(transport.bodies.count == 2)
        }
    }

    @Test(arguments: [false, true])
    func `A rejected edit stays, and a reply of the server's value ends it`(isSaved: Bool) async throws {
        let transport = HeldTransport()
        let setting = try await setting(Store.held(by: transport, Self.models), "post 1")
        try setting.set("event 2")
        if isSaved { try await setting.context.save() }
        let request = Task { try await setting.notice.save() }
        await transport.wait(for: 1)
        transport.answer(0, .status(422))
        await #expect(throws: APIError.self) { try await request.value }
        #expect(setting.text == "event 2" && setting.notice.unsentProperties == ["subject"])
        try await setting.receive("event 2")
        #expect(try setting.notice.unsentProperties == [] && setting.isConsistent())
    }

    @Test(arguments: [false, true])
    func `A fetch in the middle of a save leaves the edit that the server then accepts`(isSaved: Bool) async throws {
        let transport = HeldTransport()
        let setting = try await setting(Store.held(by: transport, Self.models), "nil")
        try setting.set("post 1")
        if isSaved { try await setting.context.save() }
        let request = Task { try await setting.notice.save() }
        await transport.wait(for: 1)
        try await setting.receive("event 9")
        #expect(setting.text == "post 1")
        transport.answer(0, .status(204))
        try await request.value
        #expect(try setting.text == "post 1" && setting.isConsistent())
    }

    @Test func `A rollback to the server's version during a request sets the object back`() async throws {
        let transport = HeldTransport()
        let setting = try await setting(Store.held(by: transport, Self.models), "post 1")
        try setting.set("event 2")
        try await setting.context.save()
        let request = Task { try await setting.notice.save() }
        await transport.wait(for: 1)
        try await setting.notice.rollback(to: .server)
        #expect(try setting.text == "post 1" && setting.isConsistent())
        transport.answer(0, .status(204))
        try await request.value
        #expect(setting.text == "post 1" && setting.notice.unsentProperties == ["subject"])
    }

    // MARK: Two contexts

    @Test(arguments: bases, edits)
    func `Of two contexts' edits the one that is saved last counts`(base: String, edit: String) async throws {
        for other in ["nil", "post 3", "event 7"] where other != base && edit != base {
            let service = try service()
            let setting = try await setting(service.store, base)
            let (side, handle) = try setting.other()
            try setting.set(edit)
            try side.set(other)
            try await setting.context.save()
            #expect(setting.text == edit && side.text == other)
            try await side.context.save()
            #expect(side.text == other)
            _ = try setting.context.find(Notice.self, 1)
            #expect(try setting.text == other && setting.isConsistent(), "\(base), \(edit), \(other)")
            try await setting.notice.save()
            let sent = service.stub.log.last.map { $0.replacing("PATCH /notices/1 ", with: "") }
            #expect(sent?.lowercased() == pair(other) || sent == nil)
            #expect(try setting.notice.unsentProperties == [] && setting.context.unsent().isEmpty)
            withExtendedLifetime(handle) {}
        }
    }

    @Test(arguments: edits)
    func `An unsaved edit stays on top of another context's commit`(edit: String) async throws {
        for base in Self.bases where edit != base {
            let setting = try await setting(service().store, base)
            let (side, handle) = try setting.other()
            try setting.set(edit)
            try side.set("event 9")
            try await side.context.save()
            #expect(setting.text == edit)
            setting.notice.rollback(\.subject)
            #expect(setting.text == "event 9")
            withExtendedLifetime(handle) {}
        }
    }

    // MARK: After a restart

    @Test(arguments: bases, edits)
    func `A saved edit is sent after a restart`(base: String, edit: String) async throws {
        guard base != edit else { return }
        let file = try TemporaryFile()
        do {
            let setting = try await setting(service(at: .file(file.path)).store, base)
            try setting.set(edit)
            try await setting.context.save()
        }
        let copy = try file.copy()
        let service = try service(at: .file(copy.path))
        let notice = try #require(try service.main.find(Notice.self, 1))
        let setting = Setting(store: service.store, context: service.main, notice: notice)
        #expect(setting.text == edit && notice.unsentProperties == ["subject"])
        try await setting.receive("event 9")
        #expect(setting.text == edit)
        try await notice.save()
        #expect(service.stub.log.map { $0.lowercased() } == ["patch /notices/1 \(pair(edit))"])
        #expect(try service.main.unsent().isEmpty && setting.isConsistent() && setting.text == edit)
    }

    @Test func `A queued edit is sent by the outbox`() async throws {
        let service = try service()
        let setting = try await setting(service.store, "post 1")
        try setting.set("event 2")
        try await setting.notice.save(.queued)
        try setting.set("event 3")
        try await setting.notice.save(.queued)
        try await setting.receive("post 4")
        #expect(setting.text == "event 3")
        await service.store.outbox.drain()
        #expect(service.stub.log.map { $0.lowercased() } == [#"patch /notices/1 \#(pair("event 3"))"#])
        #expect(try setting.text == "event 3" && setting.notice.unsentProperties == [] && setting.isConsistent())
    }

    // MARK: Conflicts

    /// A service that refuses changes, with another version of the notice.
    private func refusingService() throws -> Service {
        var conventions = APIConventions.default
        (conventions.conditionalWrites, conventions.conflicts) = (.entityTags, .serverWins)
        return try Service(
            Self.models, conventions: conventions,
            stub: StubTransport { request in
                request.method == .get
                    ? .json(#"{"id": 1, "text": "theirs", "subject_type": "event", "subject_id": 9}"#) : .status(412)
            })
    }

    @Test func `With serverWins, a refused edit gives way to the server's object`() async throws {
        let service = try refusingService()
        let setting = try await setting(service.store, "post 1")
        try setting.set("event 2")
        try await setting.notice.save(.queued)
        #expect(await service.store.outbox.drain().takenBack == 1)
        #expect(service.stub.log.count == 2 && setting.notice.text == "theirs")
        #expect(try setting.text == "event 9" && setting.isConsistent())
        #expect(try setting.notice.unsentProperties == [] && setting.context.unsent().isEmpty)
    }

    @Test func `With serverWins, a fetched conflict discards the relationship's edit as a whole`() async throws {
        let service = try refusingService()
        let setting = try await setting(service.store, "post 1")
        try setting.set("event 2")
        setting.notice.text = "mine"
        try await setting.notice.save(.queued)
        // The fetch brings another text, so the outbox finds the conflict before it sends the edits.
        _ = try await setting.store.imported(Notice.self, #"{"id": 1, "text": "theirs"}"#)
        #expect(await service.store.outbox.drain().takenBack == 1)
        #expect(service.stub.log == ["GET /notices/1"] && setting.notice.text == "theirs")
        #expect(try setting.text == "event 9" && setting.isConsistent())
        #expect(try setting.notice.unsentProperties == [] && setting.context.unsent().isEmpty)
    }

    // MARK: Targets

    @Test func `The relationship is nil once its target is deleted, and is not sent as none`() async throws {
        let service = try service()
        let setting = try await setting(service.store, "post 1")
        setting.context.delete(try #require(try setting.context.find(Post.self, 1)))
        #expect(setting.text == "nil")
        try await setting.context.save()
        #expect(setting.text == "nil" && setting.notice.unsentProperties == [])
        try setting.set("event 2")
        try await setting.notice.save()
        #expect(setting.text == "event 2" && service.stub.log.count == 1)
    }

    @Test(arguments: ["nil", "event 5"])
    func `An edit to an object that is deleted before it is sent is sent as none`(base: String) async throws {
        let service = try service()
        let setting = try await setting(service.store, base)
        let post = Post(in: setting.context)
        setting.notice.subject = .post(post)
        try await setting.context.save()
        setting.context.delete(post)
        try await setting.context.save()
        #expect(setting.text == "nil" && setting.notice.unsentProperties == ["subject"])
        try await setting.notice.save()
        #expect(service.stub.log == [#"PATCH /notices/1 {"subject_type":null,"subject_id":null}"#])
        #expect(try setting.notice.unsentProperties == [] && setting.context.unsent().isEmpty)
    }

    @Test func `An edit replaces a link that waits for its target`() async throws {
        let service = try service()
        let setting = try await setting(service.store, "event 50")
        #expect(setting.text == "nil" && setting.notice.$subject.identity?.text == "50")
        try setting.set("post 1")
        #expect(setting.notice.$subject.identity?.text == "1")
        try await setting.context.save()
        _ = try await service.imported(Event.self, #"{"id": 50}"#)
        #expect(try setting.text == "post 1" && setting.isConsistent())
        try setting.set("nil")
        try await setting.notice.save()
        #expect(service.stub.log == [#"PATCH /notices/1 {"subject_type":null,"subject_id":null}"#])
    }

    @Test func `Observers see a change of the relationship`() async throws {
        let service = try service()
        let setting = try await setting(service.store, "post 1")
        let seen = Box(0)
        withObservationTracking {
            _ = setting.notice.subject
        } onChange: {
            seen.value += 1
        }
        try setting.set("event 2")
        #expect(seen.value == 1)
    }
}
