import HTTPTypes
import RESTTransport

/// The parts of a request that metrics and spans show.
struct RequestFacts {
    /// The method; `_OTHER` for one outside the standards, as programs may make up any number of them.
    let method: String
    /// The host; empty for a URL without one.
    let address: String
    let port: Int?
    /// The name of the request's model.
    let model: String?

    /// The methods of [RFC 9110](https://www.rfc-editor.org/rfc/rfc9110#section-9) and
    /// [RFC 5789](https://www.rfc-editor.org/rfc/rfc5789), and QUERY.
    private static let methods: Set<String> = [
        "CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "QUERY", "TRACE",
    ]

    init(_ request: APIRequest) {
        let origin = Origin(request.url)
        method = Self.methods.contains(request.method.rawValue) ? request.method.rawValue : "_OTHER"
        (address, port) = (origin?.host ?? "", origin?.port)
        model = request.passage.model
    }
}

extension APIResponse {
    /// Whether the server refused or failed.
    var isError: Bool { status.code >= 400 }

    /// The version of HTTP without its name: `1.1` or `2`.
    var protocolVersion: String? {
        phases.httpVersion.map { $0.hasPrefix("HTTP/") ? String($0.dropFirst(5)) : $0 }
    }
}

extension Result<APIResponse, TransportError> {
    /// The status of an error, or the kind of a failure; nil for a success. There are few values.
    var errorType: String? {
        switch self {
        case .success(let reply): reply.isError ? "\(reply.status.code)" : nil
        case .failure(let error): error.reason.type
        }
    }
}

extension TransportError.Reason {
    /// The name of the case, without its details.
    fileprivate var type: String {
        switch self {
        case .cancelled: "cancelled"
        case .circuitOpen: "circuit_open"
        case .connectionFailed: "connection_failed"
        case .connectionLost: "connection_lost"
        case .connectionRefused: "connection_refused"
        case .credentialUnavailable: "credential_unavailable"
        case .insecureRedirect: "insecure_redirect"
        case .invalidRedirect: "invalid_redirect"
        case .invalidURL: "invalid_url"
        case .limited: "limited"
        case .malformedResponse: "malformed_response"
        case .other: "_OTHER"
        case .redirectLoop: "redirect_loop"
        case .redirectedWrite: "redirected_write"
        case .timedOut: "timeout"
        case .tls: "tls"
        case .tokenRefused: "token_refused"
        case .tooLarge: "too_large"
        case .tooManyRedirects: "too_many_redirects"
        case .undecoded: "undecoded"
        case .unreadableBody: "unreadable_body"
        case .unwritableFile: "unwritable_file"
        }
    }
}
