import HTTPTypes
import Logging
import RESTTransport

/// The source of a stream: the request that starts each of its connections.
struct EventSource: Sendable {
    let client: APIClient
    let draft: RequestDraft
    let options: StreamOptions

    var api: API { client.api }

    /// The request for errors and the log.
    var summary: RequestSummary {
        RequestSummary(method: draft.method.rawValue, url: api.requestURL(draft.url))
    }

    /// Makes the request of the next connection.
    ///
    /// - Parameter lastEventID: The ID after which the server continues; empty if there is none.
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

    /// Whether the stream connects again after a connection ends.
    ///
    /// - Parameter format: The format of the stream, if known.
    func reconnects(_ format: EventFormat?) -> Bool {
        options.reconnects ?? (draft.method == .get && (format ?? options.format ?? .events) == .events)
    }

    /// Returns the format of a reply. A web page is never a stream, even if the options set a format.
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
    /// The last event that the client has received ([HTML
    /// §9.2.4](https://html.spec.whatwg.org/multipage/server-sent-events.html#the-last-event-id-header)).
    static let lastEventID = HTTPField.Name("Last-Event-ID")!
}
