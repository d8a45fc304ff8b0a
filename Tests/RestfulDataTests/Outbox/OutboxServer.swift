import Foundation
import HTTPTypes
import JSONBytes
import RestfulData
import Synchronization

/// A server in memory that stores the objects sent to it, and fails as configured.
final class OutboxServer: Transport {
    /// The fate of one request.
    enum Fault {
        /// It doesn't arrive.
        case unreachable
        /// It is done, and the reply is lost.
        case lostReply
        /// It is refused with this status.
        case status(Int, HTTPFields = [:], body: String = "")
    }

    private struct State {
        var objects: [String: [Int: JSONValue]] = [:]
        var members: [String: Set<Int>] = [:]
        var lastID = 100
        var log: [String] = []
        var accounts: [String?] = []
        var keys: [String?] = []
        var faults: [(path: String?, fault: Fault)] = []
        var answers: [String: JSONValue] = [:]
        /// Objects deleted by another client, with the status that reports this.
        var gone: [String: Int] = [:]
        var isOffline = false
        var underway = 0
        var mostUnderway = 0
    }

    private let state = Mutex(State())
    /// Whether repeated keys are the same request.
    private let knowsKeys: Bool
    /// Is called when a request has arrived, before it is done.
    private let arrived = Mutex<(@Sendable (APIRequest) async -> Void)?>(nil)

    init(knowsKeys: Bool = false) { self.knowsKeys = knowsKeys }

    /// The requests that arrived, with their bodies.
    var log: [String] { state.withLock(\.log) }
    /// The `Authorization` of each.
    var accounts: [String?] { state.withLock(\.accounts) }
    /// The `Idempotency-Key` of each.
    var keys: [String?] { state.withLock(\.keys) }
    /// How many requests were in flight at the same time, at most.
    var mostUnderway: Int { state.withLock(\.mostUnderway) }

    func whenArriving(_ body: (@Sendable (APIRequest) async -> Void)?) { arrived.withLock { $0 = body } }

    func forgetLog() { state.withLock { ($0.log, $0.accounts, $0.keys) = ([], [], []) } }

    /// The next requests fail so.
    func fail(_ faults: Fault...) { state.withLock { $0.faults += faults.map { (nil, $0) } } }

    /// The next request to a path fails so.
    func fail(_ path: String, _ fault: Fault) { state.withLock { $0.faults.append((path, fault)) } }

    func forgetFaults() { state.withLock { $0.faults = [] } }

    var isOffline: Bool {
        get { state.withLock(\.isOffline) }
        set { state.withLock { $0.isOffline = newValue } }
    }

    func objects(_ path: String) -> [Int: JSONValue] { state.withLock { $0.objects[path] ?? [:] } }
    func members(_ path: String) -> Set<Int> { state.withLock { $0.members[path] ?? [] } }

    /// Another client's change.
    func put(_ path: String, _ id: Int, _ object: JSONValue?) {
        state.withLock { $0.objects[path, default: [:]][id] = object }
    }

    /// Another client's deletion of an object, which is 404 or 410 from then on.
    func remove(_ path: String, _ id: Int, _ status: Int) {
        state.withLock { state in
            state.objects[path]?[id] = nil
            state.gone["\(path)/\(id)"] = status
        }
    }

    func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
        if isOffline { throw TransportError(.connectionFailed("offline"), request) }
        let fault = state.withLock { state -> Fault? in
            let index = state.faults.firstIndex { $0.path ?? request.url.path == request.url.path }
            return index.map { state.faults.remove(at: $0).fault }
        }
        if case .unreachable = fault { throw TransportError(.connectionFailed("no route"), request) }
        state.withLock { state in
            state.underway += 1
            state.mostUnderway = max(state.mostUnderway, state.underway)
        }
        defer { state.withLock { $0.underway -= 1 } }
        let body = request.body?.bytes ?? []
        let path = request.url.path
        state.withLock { state in
            state.log.append(
                "\(request.method.rawValue) \(path)" + (body.isEmpty ? "" : " " + String(decoding: body, as: UTF8.self))
            )
            state.accounts.append(request.headerFields[.authorization])
            state.keys.append(request.headerFields[HTTPField.Name("Idempotency-Key")!])
        }
        await arrived.withLock { $0 }?(request)
        if Task.isCancelled { throw TransportError(.cancelled, request) }
        if case .status(let status, let fields, let body) = fault, status != 422 || !isRepeated(request) {
            return response(status, fields, body, to: request)
        }
        let (status, json) = answer(request, path, body)
        if case .lostReply = fault { throw TransportError(.connectionLost, request) }
        return response(status, [:], json?.text ?? "", to: request)
    }

    /// Whether the request was done before, and is answered as it was then.
    private func isRepeated(_ request: APIRequest) -> Bool {
        guard knowsKeys, let key = request.headerFields[HTTPField.Name("Idempotency-Key")!] else { return false }
        return state.withLock { $0.answers[key] != nil }
    }

    private func response(_ status: Int, _ fields: HTTPFields, _ body: String, to request: APIRequest) -> APIResponse {
        var fields = fields
        if !body.isEmpty { fields[.contentType] = "application/json" }
        return APIResponse(
            HTTPResponse(status: .init(code: status), headerFields: fields), body: Array(body.utf8), to: request)
    }

    private func answer(_ request: APIRequest, _ path: String, _ body: [UInt8]) -> (Int, JSONValue?) {
        let parts = path.split(separator: "/").map(String.init)
        let sent = JSONValue(body) ?? .object([:])
        let key = request.headerFields[HTTPField.Name("Idempotency-Key")!]
        return state.withLock { state in
            if parts.count > 1, let status = state.gone["/\(parts[0])/\(parts[1])"] { return (status, nil) }
            switch (request.method, parts.count) {
            case (.get, 1):
                let all = (state.objects[path] ?? [:]).sorted { $0.key < $1.key }.map(\.value)
                return (200, .array(all))
            case (.get, 2):
                guard let object = state.objects["/\(parts[0])"]?[Int(parts[1]) ?? 0] else { return (404, nil) }
                return (200, object)
            case (.get, 3):
                let ids = state.members[path] ?? []
                let field = "\(parts[0].dropLast())_id"
                let all = (state.objects["/\(parts[2])"] ?? [:]).sorted { $0.key < $1.key }.filter { id, object in
                    ids.contains(id) || object[field]?.integer == Int(parts[1])
                }
                return (200, .array(all.map(\.value)))
            case (.post, 1), (.post, 3):
                if knowsKeys, let key, let known = state.answers[key] { return (201, known) }
                if parts.count == 3, case .array(let ids)? = sent["label_ids"] ?? sent["tag_ids"] {
                    state.members[path, default: []].formUnion(ids.compactMap(\.integer))
                    return (204, nil)
                }
                state.lastID += 1
                var fields = sent.members
                fields["id"] = .number("\(state.lastID)")
                if parts.count == 3 { fields["\(parts[0].dropLast())_id"] = .number(parts[1]) }
                let object = JSONValue.object(fields)
                state.objects["/\(parts[parts.count - 1])", default: [:]][state.lastID] = object
                if let key { state.answers[key] = object }
                return (201, object)
            case (.patch, 2):
                guard let old = state.objects["/\(parts[0])"]?[Int(parts[1]) ?? 0] else { return (404, nil) }
                let object = JSONValue.object(old.members.merging(sent.members) { $1 })
                state.objects["/\(parts[0])"]?[Int(parts[1]) ?? 0] = object
                return (200, object)
            case (.delete, 2):
                let old = state.objects["/\(parts[0])"]?.removeValue(forKey: Int(parts[1]) ?? 0)
                return (old == nil ? 404 : 204, nil)
            case (.delete, 4):
                let list = "/\(parts[0])/\(parts[1])/\(parts[2])"
                state.members[list]?.remove(Int(parts[3]) ?? 0)
                return (204, nil)
            default: return (405, nil)
            }
        }
    }
}

extension JSONValue {
    fileprivate var members: [String: JSONValue] { if case .object(let members) = self { members } else { [:] } }
}

/// The models of the outbox's tests.
enum Tracker {
    @Model("/repos", renamedFrom: "Project") final class Repo {
        var identifier: Int?
        var name: String?
        @Relationship("/repos/:id/issues", inverse: "repo", sentAs: .never, renamedFrom: "tickets") var issues: [Issue]
    }

    @Model("/issues", renamedFrom: "Ticket") final class Issue {
        var identifier: Int?
        @Attribute(renamedFrom: "name") var title: String?
        var body: String?
        var repo: Repo?
        @Relationship("/issues/:id/labels", inverse: nil, sentAs: .never, renamedFrom: "tags") var labels: [Label]
        @Relationship(inverse: nil) var duplicate: Issue?

        func validate() throws(ValidationError) { try check(\.title, title != "", "can't be blank") }
    }

    @Model("/labels", renamedFrom: "Tag") final class Label {
        var identifier: Int?
        var name: String?
    }

    static let models: [any Model.Type] = [Repo.self, Issue.self, Label.self]
}

/// The same under other names, as another version of the program has them.
enum RenamedTracker {
    @Model("/repos", renamedFrom: "Repo") final class Project {
        var identifier: Int?
        var name: String?
        @Relationship("/repos/:id/issues", inverse: "repo", sentAs: .never, renamedFrom: "issues")
        var tickets: [Ticket]
    }

    @Model("/issues", renamedFrom: "Issue") final class Ticket {
        var identifier: Int?
        @Attribute("title", renamedFrom: "title") var name: String?
        var body: String?
        var repo: Project?
        @Relationship("/issues/:id/labels", inverse: nil, sentAs: .never, renamedFrom: "labels") var tags: [Tag]
        @Relationship(inverse: nil) var duplicate: Ticket?
    }

    @Model("/labels", renamedFrom: "Label") final class Tag {
        var identifier: Int?
        var name: String?
    }

    static let models: [any Model.Type] = [Project.self, Ticket.self, Tag.self]
}
