import RestfulData
import Testing

@testable import ObjectStore

/// A save reports all that it has to at once.
@MainActor
@Suite struct SeveralErrorsTests {
    private func makeStore() throws -> Store { try Store(of: World.models + ValidationTests.models) }

    /// The errors that a save throws, in words.
    private func errors(_ body: () async throws -> Void) async -> [String] {
        do {
            try await body()
            return []
        } catch StoreError.several(let errors) {
            return errors.map(\.description)
        } catch {
            return ["\(error)"]
        }
    }

    @Test func `A save reports an edit of a deleted object together with other errors`() async throws {
        let store = try makeStore()
        let deleted = try #require(try await store.main.take(User.self, #"{"id": 1}"#).objects.first)
        store.main.delete(deleted)
        try await store.main.save()
        deleted.login = "late"
        let meeting = Meeting(in: store.main)
        let errors = await errors { try await store.main.save() }
        #expect(
            errors == [
                "\(StoreError.deletedObject(model: "User"))",
                "Nothing was written or sent: new Meeting: title can't be blank",
            ])
        // The refused edit is reported once, and the rules again.
        #expect(await self.errors { try await store.main.save() } == [errors[1]])
        meeting.title = "Mended"
        try await store.main.save()
    }

    @Test func `Each object that couldn't be linked is reported once`() async throws {
        let store = try makeStore()
        let stranger = try makeStore()
        let user = try #require(try await stranger.main.take(User.self, #"{"id": 7}"#).objects.first)
        let label = try #require(try await stranger.main.take(Label.self, #"{"id": 1}"#).objects.first)
        let issue = Issue(in: store.main)
        for _ in 0..<3 {
            issue.assignee = user
            issue.labels = [label]
        }
        let errors = await errors { try await store.main.save() }
        #expect(
            errors == [
                "\(StoreError.foreignObject(model: "User"))", "\(StoreError.foreignObject(model: "Label"))",
            ])
        try await store.main.save()
    }

    @Test func `Each value that JSON can't express is reported together with other errors`() async throws {
        let store = try Store(of: [Reading.self, Meeting.self, Proviso.self])
        let readings = [Reading(in: store.main), Reading(in: store.main)]
        (readings[0].value, readings[1].value) = (.nan, .infinity)
        let meeting = Meeting(in: store.main)
        let errors = await errors { try await store.main.save() }
        #expect(errors.count == 3 && errors.filter { $0.contains("Reading.value") }.count == 2)
        store.main.rollback()
        try await store.main.save()
        #expect(meeting.isDeleted)
    }

    @Test func `A save reports every model whose edited objects were deleted elsewhere`() async throws {
        let store = try makeStore()
        let user = try #require(try await store.main.take(User.self, #"{"id": 1}"#).objects.first)
        let label = try #require(try await store.main.take(Label.self, #"{"id": 1}"#).objects.first)
        (user.login, label.name) = ("edited", "edited")
        let other = Topic(in: store.main)
        other.name = "swift"
        try await store.background { context in
            if let user = try context.find(User.self, 1) { context.delete(user) }
            if let label = try context.find(Label.self, 1) { context.delete(label) }
        }
        let errors = await errors { try await store.main.save() }
        #expect(Set(errors) == Set(["User", "Label"].map { "\(StoreError.deletedObject(model: $0))" }))
        #expect(!store.main.hasChanges)
        try await store.main.save()
    }

    @Test func `Saving a draft reports all errors at once and keeps its edits`() async throws {
        let store = try makeStore()
        let deleted = try #require(try await store.main.take(User.self, #"{"id": 1}"#).objects.first)
        let draft = try store.main.draft()
        let form = try #require(draft.object(for: deleted))
        draft.context.delete(form)
        form.login = "late"
        _ = Meeting(in: draft.context)
        let errors = await errors { try draft.save() }
        #expect(errors.count == 2 && draft.hasChanges && !store.main.hasChanges)
    }

    @Test func `Several errors are described on one line each`() {
        let error = StoreError(all: [.deletedObject(model: "User"), .foreignObject(model: "Label")])
        #expect(
            error?.description == """
                There are 2 problems:
                  - \(StoreError.deletedObject(model: "User"))
                  - \(StoreError.foreignObject(model: "Label"))
                """)
        #expect(StoreError(all: [])?.description == nil)
        #expect(StoreError(all: [.cancelled])?.description == StoreError.cancelled.description)
    }

    @Test func `Validation errors of all objects are grouped into one error`() throws {
        let (first, second) = (ValidationError(objectErrors: ["a"]), ValidationError(objectErrors: ["b"]))
        let error = StoreError(all: [.validation([first]), .endedContext, .validation([second])])
        guard case .several(let errors)? = error, errors.count == 2 else {
            Testing.Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.validationErrors == [first, second])
    }

    @Test func `Errors describe an object without an identity as new`() async throws {
        let store = try makeStore()
        let meeting = Meeting(in: store.main)
        meeting.seats = 0
        meeting.title = "Planning"
        let said = await failure { try await store.main.save() }
        #expect(said == #"Nothing was written or sent: new Meeting "Planning": seats must be positive"#)
        let shelves = try Store(of: [Shelf.self, Book.self, Page.self, Tool.self])
        let shelf = Shelf(in: shelves.main)
        shelf.books = [Book(in: shelves.main)]
        try await shelves.main.save()
        shelves.main.delete(shelf)
        #expect(
            await failure { try await shelves.main.save() }.hasPrefix("A new Shelf can't be deleted while its books"))
    }
}

@Model
private final class Reading {
    var identifier: Int?
    var value = 0.0
}
