import HTTPTypes
import Logging
import RESTTransport

/// Where a stream of events comes from: the request that each of its connections begins with.
struct EventSource: Sendable {
    let client: APIClient
    let draft: RequestDraft
    let options: StreamOptions

    var api: API { client.api }

    /// What errors and the log name.
    var summary: RequestSummary {
        RequestSummary(method: draft.method.rawValue, url: api.requestURL(draft.url))
    }

    /// The request of the next connection.
    ///
    /// - Parameter lastEventID: The ID of the event after which the server is to go on; empty where there is none.
    func request(after lastEventID: String) throws(APIError) -> APIRequest {
        var request = try client.request(draft)
        request.delivery = .pieces
        let standard = [
            (HTTPField.Name.accept, (options.format ?? .events).accept), (.cacheControl, "no-cache"),
        ]
        for (name, value) in standard where !request.headerFields.contains(name) { request.headerFields[name] = value }
        guard !lastEventID.isEmpty else { return request }
        if HTTPField.isValidValue(lastEventID) {
            request.headerFields[.lastEventID] = lastEventID
        } else {
            warn(
                "\(RequestSummary(request)): the last event's ID can't be sent, as it has characters that no field takes"
            )
        }
        return request
    }

    /// Whether the stream goes on with another connection.
    ///
    /// - Parameter format: how the stream is written, as far as is known.
    func reconnects(_ format: EventFormat?) -> Bool {
        options.reconnects ?? (draft.method == .get && (format ?? options.format ?? .events) == .events)
    }

    /// How a reply is written.
    func format(of response: APIResponse) throws(APIError) -> EventFormat {
        let type = response.headerFields[.contentType]
        let isPage = type.flatMap { MediaType($0).name }.map { $0 == "text/html" || $0 == "application/xhtml+xml" }
        if isPage != true, let format = options.format ?? EventFormat(contentType: type) { return format }
        throw .stream(.contentType(type.map { String($0.prefix(200)) }), RequestSummary(response.request))
    }

    func warn(_ text: String) { api.makeLogger().warning("\(text)") }
    func note(_ text: String) { api.makeLogger().debug("\(text)") }
}

extension HTTPField.Name {
    /// The event after which a server goes on
    /// ([HTML §9.2.4](https://html.spec.whatwg.org/multipage/server-sent-events.html#the-last-event-id-header)).
    static let lastEventID = HTTPField.Name("Last-Event-ID")!
}
