import HTTPTypes
import RESTTransport

/// The parts of a request that metrics and spans show.
struct RequestFacts {
    /// The method; `_OTHER` for nonstandard ones, because programs can invent any number of them.
    let method: String
    /// The host, or an empty text.
    let address: String
    let port: Int?
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
        model = request.chainState.model
    }
}

extension APIResponse {
    var isError: Bool { status.code >= 400 }

    /// The HTTP version's number: `1.1` or `2`.
    var protocolVersion: String? {
        phases.httpVersion.map { $0.hasPrefix("HTTP/") ? String($0.dropFirst(5)) : $0 }
    }
}

extension Result<APIResponse, TransportError> {
    /// The status of an error reply, or the kind of failure; nil for a success. The number of different values is
    /// small.
    var errorType: String? {
        switch self {
        case .success(let reply): reply.isError ? "\(reply.status.code)" : nil
        case .failure(let error): error.reason.type
        }
    }
}

extension TransportError.Reason {
    /// The kind of failure, free of details.
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
