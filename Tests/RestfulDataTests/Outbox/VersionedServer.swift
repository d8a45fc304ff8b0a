import Foundation
import HTTPTypes
import JSONBytes
import RestfulData
import Synchronization

/// A server of notes in memory that counts the versions of each, and refuses changes whose condition names another one.
final class VersionedServer: Transport {
    private struct Note {
        var fields: [String: JSONValue]
        var version = 1
    }

    private struct State {
        var notes: [Int: Note] = [:]
        var log: [String] = []
        var refusals: [Int] = []
        var isWeak = false
        var losesReply = false
    }

    private let state = Mutex(State())
    private let arrived = Mutex<(@Sendable (APIRequest) async -> Void)?>(nil)

    /// Whether the entity tags are weak.
    var isWeak: Bool {
        get { state.withLock(\.isWeak) }
        set { state.withLock { $0.isWeak = newValue } }
    }

    /// The next change is done, and its reply lost.
    func loseReply() { state.withLock { $0.losesReply = true } }

    /// The requests with their conditions and bodies, and the status of each: `PATCH /notes/7 if "1" {…} 200`.
    var log: [String] { state.withLock(\.log) }

    func forgetLog() { state.withLock { $0.log = [] } }

    /// Is called when a request has arrived, before it is done.
    func whenArriving(_ body: (@Sendable (APIRequest) async -> Void)?) { arrived.withLock { $0 = body } }

    /// Another client's change.
    func put(_ id: Int, _ fields: [String: JSONValue]) {
        state.withLock { state in
            var note = state.notes[id] ?? Note(fields: ["id": .number("\(id)")], version: 0)
            note.fields.merge(fields) { $1 }
            note.version += 1
            state.notes[id] = note
        }
    }

    func remove(_ id: Int) { state.withLock { $0.notes[id] = nil } }

    /// The next changes are refused with these statuses.
    func refuse(_ statuses: Int...) { state.withLock { $0.refusals += statuses } }

    /// The text of a note's field; nil for a note that isn't there.
    func text(_ id: Int, _ field: String) -> String? { state.withLock { $0.notes[id]?.fields[field]?.string } }

    func has(_ id: Int) -> Bool { state.withLock { $0.notes[id] != nil } }

    func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
        await arrived.withLock { $0 }?(request)
        let condition = request.headerFields[.ifMatch] ?? request.headerFields[.ifUnmodifiedSince]
        let body = request.body?.bytes ?? []
        let response: APIResponse? = state.withLock { state in
            let id = request.url.path.split(separator: "/").dropFirst().first.flatMap { Int($0) }
            let (status, note) = answer(request, id, condition, JSONValue(body) ?? .object([:]), &state)
            state.log.append(
                ([request.method.rawValue, request.url.path] + (condition.map { ["if", $0] } ?? [])
                    + (body.isEmpty ? [] : [String(decoding: body, as: UTF8.self)]) + ["\(status)"])
                    .joined(separator: " "))
            var fields: HTTPFields = [:]
            if let note {
                fields[.contentType] = "application/json"
                fields[.eTag] = (state.isWeak ? "W/" : "") + Self.tag(note)
                fields[.lastModified] = Self.date(note)
            }
            if state.losesReply, request.method != .get {
                state.losesReply = false
                return nil
            }
            var object = note?.fields
            object?["version"] = note.map { .string("\($0.version)") }
            return APIResponse(
                HTTPResponse(status: .init(code: status), headerFields: fields),
                body: object.map { Array((JSONValue.object($0).text ?? "").utf8) } ?? [], to: request)
        }
        guard let response else { throw TransportError(.connectionLost, request) }
        return response
    }

    private func answer(
        _ request: APIRequest, _ id: Int?, _ condition: String?, _ sent: JSONValue, _ state: inout State
    ) -> (Int, Note?) {
        guard let id else {
            let new = (state.notes.keys.max() ?? 0) + 1
            guard case .object(var fields) = sent else { return (400, nil) }
            fields["id"] = .number("\(new)")
            state.notes[new] = Note(fields: fields)
            return (201, state.notes[new])
        }
        guard var note = state.notes[id] else { return (404, nil) }
        if request.method == .get { return (200, note) }
        if !state.refusals.isEmpty { return (state.refusals.removeFirst(), nil) }
        if let condition, condition != "*", condition != Self.tag(note), condition != Self.date(note) {
            return (412, nil)
        }
        if request.method == .delete {
            state.notes[id] = nil
            return (204, nil)
        }
        if case .object(let fields) = sent { note.fields.merge(fields) { $1 } }
        note.version += 1
        state.notes[id] = note
        return (200, note)
    }

    private static func tag(_ note: Note) -> String { "\"\(note.version)\"" }

    private static func date(_ note: Note) -> String {
        "Mon, 02 Nov 2026 10:00:\(note.version < 10 ? "0" : "")\(note.version) GMT"
    }
}
