import Foundation
import HTTPTypes
import RestfulData
import Synchronization

/// A store for one measurement, with functions by which the checks fill it.
@MainActor struct TestStore {
    let store: Store
    var main: ObjectContext { store.main }

    init(_ location: Store.Location = .temporary, transport: any Transport = PagedServer(pages: 0)) throws {
        store = try Store(
            location, models: Models.all, api: API("https://api.example.com", transport: transport))
    }

    /// Runs `body` with a store, which is gone afterwards.
    static func with(
        transport: any Transport = PagedServer(pages: 0), _ body: @MainActor (TestStore) async throws -> Cost
    ) async throws -> Cost {
        let store = try TestStore(transport: transport)
        defer { store.store.close() }
        return try await body(store)
    }

    /// Rows that are live in no context.
    func importRows<M: Model>(_ type: M.Type, _ ids: some Sequence<Int>) async throws {
        try await main.importReporting(type, from: JSON.objects(ids))
    }

    func imported<M: Model>(_ type: M.Type, _ json: String) async throws -> [M] {
        try await main.import(type, from: Data(json.utf8)).objects
    }

    /// Runs `body` while so many other contexts have a live object each, of the same row.
    func withContexts(_ count: Int, holding id: Int, _ body: @MainActor () async throws -> Cost) async throws -> Cost {
        let (held, hold) = AsyncStream<Void>.makeStream()
        let holders = (0..<count).map { _ in Holder() }
        let tasks = holders.map { holder in
            Task { [store] in
                try await store.background { context in
                    let post = try context.find(Post.self, id)
                    hold.yield()
                    await holder.wait()
                    // Alive until here.
                    _ = post?.title
                }
            }
        }
        var waiting = count
        for await _ in held {
            waiting -= 1
            if waiting == 0 { break }
        }
        let cost: Result<Cost, any Error>
        do { cost = .success(try await body()) } catch { cost = .failure(error) }
        for holder in holders { holder.end() }
        for task in tasks { try await task.value }
        return try cost.get()
    }
}

/// Keeps a task waiting until it is ended.
private struct Holder: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func wait() async { for await _ in stream {} }

    func end() { continuation.finish() }
}

/// The bodies.
enum JSON {
    /// `[{"id": 1, "title": "Title 1"}, …]`
    static func objects(_ ids: some Sequence<Int>) -> Data { Data(objectsText(ids).utf8) }

    static func objectsText(_ ids: some Sequence<Int>) -> String {
        list(ids) { #"{"id": \#($0), "title": "Title \#($0)"}"# }
    }

    static func list(_ ids: some Sequence<Int>, _ element: (Int) -> String = { "\($0)" }) -> String {
        "[" + ids.map(element).joined(separator: ",") + "]"
    }
}

/// A server with lists of this number of pages of a hundred, and an object for each number.
struct PagedServer: Transport {
    let pages: Int
    /// Whether each page has a validator, which stays the same.
    var isValidated = false

    func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
        if let id = Int(request.url.lastPathComponent) {
            return APIResponse(HTTPResponse(status: .ok), body: Array(#"{"id": \#(id)}"#.utf8), to: request)
        }
        let items = URLComponents(url: request.url, resolvingAgainstBaseURL: true)?.queryItems ?? []
        let page = items.first { $0.name == "page" }.flatMap { $0.value.flatMap { Int($0) } } ?? 0
        var fields = HTTPFields()
        if page + 1 < pages {
            let url = request.url.absoluteString.split(separator: "?")[0]
            fields[.init("Link")!] = "<\(url)?page=\(page + 1)>; rel=\"next\""
        }
        if isValidated { fields[.eTag] = "\"1\"" }
        guard !isValidated || request.headerFields[.ifNoneMatch] == nil else {
            return APIResponse(HTTPResponse(status: .notModified, headerFields: fields), body: [], to: request)
        }
        let body = Array(JSON.objects(page * 100 + 1...page * 100 + 100))
        return APIResponse(HTTPResponse(status: .ok, headerFields: fields), body: body, to: request)
    }
}

/// A server that gives each object that it is sent an identity, and has one for each number.
final class EchoingServer: Transport {
    private let created = Mutex(1_000_000)

    func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
        let known = Int(request.url.lastPathComponent)
        let id =
            known
            ?? created.withLock { count in
                count += 1
                return count
            }
        let status: HTTPResponse.Status = request.method == .delete ? .noContent : known == nil ? .created : .ok
        let body = request.method == .delete ? [] : Array(#"{"id": \#(id), "title": "Title \#(id)"}"#.utf8)
        return APIResponse(HTTPResponse(status: status), body: body, to: request)
    }
}
