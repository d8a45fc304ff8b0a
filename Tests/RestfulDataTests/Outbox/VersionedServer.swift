import RestfulData
import RestfulDataTesting
import Synchronization

/// A server of notes that counts the versions of each, and refuses changes whose condition names another one.
final class VersionedServer: Transport {
    /// All values of the notes of the tests' models. The server sends the version in an attribute, too.
    @Model("/notes", conditionalWrites: .attribute("version"))
    final class Note {
        var identifier: Int?
        var title = ""
        var body: String?
        var version: String?
    }

    private let server: TestServer
    private let refusals = Mutex<[Int]>([])
    private let arrived = Mutex<(@Sendable (APIRequest) async -> Void)?>(nil)

    init() throws {
        server = try TestServer(models: [Note.self])
        (server.entityTags, server.hasModificationDates) = (.versions, true)
        try server.on(.post, "/notes/:id/:action") { [server] request in
            let changes = request.json ?? [:]
            try server.update(Note.self, request.parameters["id"], setting: changes)
            return .status(204, headerFields: [.eTag: "\"2\""])
        }
        try server.on(.get, "/notes/:id/:question") { _ in .json("{}") }
        server.onEach { [weak self] request in
            guard let self, request.method != .get else { return nil }
            return refusals.withLock { $0.isEmpty ? nil : $0.removeFirst() }.map { .status($0) }
        }
    }

    /// Whether the entity tags are weak.
    var isWeak: Bool {
        get { server.entityTags == .weakVersions }
        set { server.entityTags = newValue ? .weakVersions : .versions }
    }

    /// The next change is done, and its reply lost.
    func loseReply() { server.fail(.lostReply) { $0.method != .get } }

    /// The requests with their conditions and bodies, and the status of each: `PATCH /notes/7 if "1" {…} 200`.
    var log: [String] {
        server.exchanges.map { exchange in
            let (request, body) = (exchange.request, exchange.request.body?.bytes ?? [])
            let condition = request.headerFields[.ifMatch] ?? request.headerFields[.ifUnmodifiedSince]
            let parts = [
                request.line, condition.map { "if \($0)" }, body.isEmpty ? nil : String(decoding: body, as: UTF8.self),
                "\(exchange.reply.status)",
            ]
            return parts.compactMap(\.self).joined(separator: " ")
        }
    }

    func forgetLog() { server.forgetRequests() }

    /// Is called when a request has arrived, before it is done.
    func whenArriving(_ body: (@Sendable (APIRequest) async -> Void)?) { arrived.withLock { $0 = body } }

    /// Another client's change.
    func put(_ id: Int, _ fields: [String: JSONValue]) throws {
        try server.insert(Note.self, .object(fields.merging(["id": .number("\(id)")]) { $1 }))
    }

    func remove(_ id: Int) { try? server.remove(Note.self, id) }

    /// The next changes are refused with these statuses.
    func refuse(_ statuses: Int...) { refusals.withLock { $0 += statuses } }

    /// The text of a note's field; nil for a note that isn't there.
    func text(_ id: Int, _ field: String) -> String? { server.object(Note.self, id)?[field]?.string }

    func has(_ id: Int) -> Bool { server.object(Note.self, id) != nil }

    func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
        await arrived.withLock { $0 }?(request)
        return try await server.send(request)
    }
}
