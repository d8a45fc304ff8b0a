import RestfulData

/// Something that an app does again and again.
struct SoakWork {
    let name: String
    /// How often it is done in each part of the measurement.
    var count = 1000
    /// The bytes that a turn may leave behind: a few, for the limited memory of the latest changes and answers.
    var mayLeave = 64
    /// Does it once.
    ///
    /// - Parameter turn: how often it was done before, counted over all parts.
    let run: @MainActor (_ app: SoakApp, _ turn: Int) async throws -> Void

    static var all: [SoakWork] { requests + edits + comings + watching + contexts }
}

/// The store that all the work is done in, one after the other.
@MainActor final class SoakApp {
    let server = SoakServer()
    let store: Store
    let project: Project
    let tags: [Tag]
    /// Objects that are held meanwhile, unread.
    var held: [AnyObject] = []
    var context: ObjectContext { store.main }

    init(at path: String) async throws {
        store = try Store(
            .file(path), models: [Project.self, Job.self, Tag.self],
            api: API("https://api.example.com", limits: .unlimited, transport: server))
        let rows = (1...5).map { #"{"id": \#($0), "name": "tag \#($0)"}"# }
        tags = try await store.main.import(Tag.self, from: Array("[\(rows.joined(separator: ","))]".utf8)).objects
        project = try await Project.fetch(key: 1, in: store.main)
        _ = try await project.$tasks.fetch()
    }

    /// One of the twenty tasks.
    func task(_ turn: Int, in context: ObjectContext? = nil) throws -> Job {
        guard let task = try (context ?? self.context).find(Job.self, 1 + turn % 20) else {
            throw Failure(description: "there is no task \(1 + turn % 20)")
        }
        return task
    }

    /// A new task of the project.
    func newTask() -> Job {
        let task = Job(in: context)
        task.title = "new"
        task.project = project
        return task
    }
}

struct Failure: Error, CustomStringConvertible {
    let description: String
}
