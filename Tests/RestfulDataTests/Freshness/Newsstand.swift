import Foundation
import HTTPTypes
import RestfulData
import RestfulDataTesting

/// A service that has a validator for each answer. Its values are independent of the library, so a client's current
/// values can be compared with them.
final class Newsstand: Sendable {
    /// By path and query: the JSON that it answers now.
    let pages = Box<[String: String]>([:])
    /// More header fields, for each path and query.
    let fields = Box<[String: HTTPFields]>([:])
    /// Whether it can't be reached; which status it fails with.
    let isAway = Box(false)
    let failing = Box<Int?>(nil)
    /// Seconds since 1970, for the service and its clients.
    let clock = Box(1_800_000_000.0)

    init(_ pages: [String: String]) { self.pages.value = pages }

    var stub: StubTransport {
        StubTransport { [self] request throws(TransportError) in
            if isAway.value { throw TransportError(.connectionRefused, request) }
            if let status = failing.value { return .status(status) }
            return answer(request)
        }
    }

    private func answer(_ request: APIRequest) -> StubTransport.Reply {
        let path = request.line.drop { $0 != " " }.dropFirst()
        guard let page = pages.value[String(path)] else { return .status(404) }
        var fields = self.fields.value[String(path)] ?? [:]
        if fields[.lastModified] == nil, fields[.eTag] == nil { fields[.eTag] = "\"\(Self.hash(page))\"" }
        let isSame = fields[.eTag].map { request.headerFields[.ifNoneMatch] == $0 } ?? false
        if isSame || request.headerFields[.ifModifiedSince].map({ $0 == fields[.lastModified] }) == true {
            fields[.contentType] = nil
            return .status(304, headerFields: fields)
        }
        return .json(page, headerFields: fields)
    }

    private static func hash(_ text: String) -> String {
        String(
            text.utf8.reduce(UInt64(14_695_981_039_346_656_037)) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }, radix: 16)
    }
}

/// A store that is served by it.
@MainActor struct Subscriber {
    let newsstand: Newsstand
    let stub: StubTransport
    let store: Store
    var main: ObjectContext { store.main }

    init(
        _ newsstand: Newsstand, location: Store.Location = .temporary, policy: FetchPolicy = .revalidate,
        conventions: APIConventions = .default, @MiddlewareBuilder middleware: () -> [any Middleware] = { [] }
    ) throws {
        self.newsstand = newsstand
        stub = newsstand.stub
        var api = API(
            "https://api.example.com", conventions: conventions, policy: policy, transport: stub, middleware: middleware
        )
        api.now = { newsstand.clock.value }
        store = try Store(location, models: Blog.models, api: api)
    }

    /// The requests since the last look, each with the condition that it had.
    func log() -> [String] {
        defer { stub.forgetRequests() }
        return stub.requests.map { request in
            let condition =
                request.headerFields[.ifNoneMatch] != nil
                ? " ?tag" : request.headerFields[.ifModifiedSince] != nil ? " ?date" : ""
            return request.line + condition
        }
    }
}
