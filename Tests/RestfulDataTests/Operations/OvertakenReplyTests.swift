import RestfulData
import RestfulDataTesting
import Testing

/// The reply to a change is overtaken by the answer to a later question, which may have been made before the change or
/// after it.
@MainActor @Suite struct OvertakenReplyTests {
    @Model("/tasks") final class Job {
        var identifier: Int?
        var title = ""
        var state: String?
        var note: String?
        @Relationship("/tasks/:id/labels", inverse: nil) var labels: [Label]
        @Relationship(sentAs: .nested) var steps: [Step]
    }

    @Model("/labels") final class Label { var identifier: Int? }

    @Model("/steps") final class Step {
        var identifier: Int?
        var text = ""
        var job: Job?
    }

    private let held = HeldTransport()
    private let store: Store

    init() throws { store = try Store.held(by: held, [Job.self, Label.self, Step.self]) }

    /// Begins to send, and has a list answered before that is.
    private func overtaking(
        _ send: @escaping @MainActor () async throws -> Void, by list: String, then reply: StubTransport.Reply
    ) async throws {
        let main = store.main
        let sending = Task { try await send() }
        await held.wait(for: 1)
        let asking = Task { _ = try await Job.fetchAll(in: main) }
        await held.wait(for: 2)
        held.answer(1, .json(list))
        try await asking.value
        held.answer(0, reply)
        try await sending.value
    }

    @Test(arguments: [
        #"[{"id": 8, "title": "F", "state": "open", "note": "n"}]"#,
        #"[{"id": 8, "title": "old", "state": "new", "note": "n"}]"#,
    ])
    func `The server's changes to a saved object survive an overtaking list`(list: String) async throws {
        let job = try await store.imported(Job.self, #"{"id": 8, "title": "old", "state": "new"}"#)
        job.title = "  F  "
        try await overtaking(
            { try await job.save() }, by: list, then: .json(#"{"id": 8, "title": "F", "state": "open"}"#))
        #expect([job.title, job.state, job.note] == ["F", "open", "n"] && job.unsentProperties == [])
    }

    @Test func `The server's changes to a created object survive an overtaking list`() async throws {
        let job = Job(in: store.main)
        (job.title, job.state) = ("  F  ", "OPEN")
        let there = #"{"id": 8, "title": "F", "state": "open", "note": null}"#
        try await overtaking({ try await job.create() }, by: "[\(there)]", then: .json(there, status: 201))
        #expect(job.title == "F" && job.state == "open" && job.identifier == 8 && job.unsentProperties == [])
        #expect(try store.main.query(Job.self).count() == 1)
    }

    @Test func `A new object within a save is unified with its row in an overtaking list`() async throws {
        let job = try await store.imported(Job.self, #"{"id": 1, "steps": []}"#)
        let step = Step(in: store.main)
        step.text = " one "
        job.steps = [step]
        let there = #"{"id": 1, "steps": [{"id": 10, "text": "one"}]}"#
        try await overtaking({ try await job.save() }, by: "[\(there)]", then: .json(there))
        #expect(job.steps.map(\.identifier) == [10] && job.steps[0] === step && step.text == "one")
        #expect(step.unsentProperties == [] && job.unsentProperties == [] && step.job === job)
        #expect(try store.main.query(Step.self).count() == 1)
    }

    /// The server's reply hasn't come.
    @Test(arguments: [(false, false), (false, true), (true, true)])
    func `A new object within an unanswered save is unified with its row in a list`(
        _ saved: (before: Bool, then: Bool)
    ) async throws {
        let job = try await store.imported(Job.self, #"{"id": 1, "steps": [{"id": 9, "text": "zero"}]}"#)
        let step = Step(in: store.main)
        step.text = "one"
        job.steps.append(step)
        if saved.before { try await store.main.save() }
        let sending = Task { await failure { try await job.save() } }
        await held.wait(for: 1)
        held.answer(0, .status(500))
        #expect(await sending.value != nil)
        if saved.then { try await store.main.save() }
        let there = #"{"id": 1, "steps": [{"id": 9, "text": "zero"}, {"id": 10, "text": "one"}]}"#
        _ = try await store.imported(Job.self, there)
        #expect(job.steps.map(\.identifier) == [9, 10])
        let again = Task { await failure { try await job.save() } }
        await held.wait(for: 2)
        held.answer(1, .json(there))
        #expect(await again.value == nil)
        let one = job.steps[1].unsentProperties
        #expect(job.steps.map(\.identifier) == [9, 10] && job.unsentProperties == [] && one == [])
        try await store.main.save()
        #expect(try store.main.query(Step.self).count() == 2)
    }

    /// The list was read before the server took the edit, or afterwards.
    @Test(arguments: ["[1, 3]", "[1, 2]"], [(false, false), (false, true), (true, false), (true, true)])
    func `A sent list survives an overtaking list`(list: String, _ how: (isSaved: Bool, hasReply: Bool)) async throws {
        let job = try await store.imported(Job.self, #"{"id": 8, "labels": [{"id": 1}, {"id": 3}]}"#)
        job.labels = [job.labels[0], try await store.imported(Label.self, #"{"id": 2}"#)]
        if how.isSaved { try await store.main.save() }
        let ids = list.dropFirst().dropLast().split(separator: ",").map { "{\"id\":\($0)}" }.joined(separator: ",")
        try await overtaking(
            { try await job.save() }, by: "[{\"id\": 8, \"labels\": [\(ids)]}]",
            then: how.hasReply ? .json(#"{"id": 8, "labels": [{"id": 1}, {"id": 2}]}"#) : .status(204))
        #expect(job.labels.map(\.identifier) == [1, 2] && job.unsentProperties == [] && !store.main.hasChanges)
    }
}
