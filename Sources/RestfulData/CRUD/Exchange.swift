import HTTPTypes
import ObjectStore
import RESTTransport

/// One request to the API and what its reply means: the way from a route to bytes.
struct Exchange: Sendable {
    let bridge: Bridge
    let method: HTTPRequest.Method
    let url: String
    var body: [UInt8]?
    /// Whose names the field errors of a reply are told in.
    var table: ModelSchema?

    /// Sends the request.
    ///
    /// - Returns: the reply, of a success or of 304.
    /// - Throws: ``APIError`` for a URL that is none, no reply, or one that is no success.
    func send() async throws(APIError) -> APIResponse {
        let response: APIResponse
        do {
            let conventions = bridge.api.conventions
            let request = try APIRequest(
                method, bridge.api.url(url), headerFields: body == nil ? [:] : [.contentType: conventions.contentType],
                body: conventions.bodies == .form ? body.map { FormBody($0).bytes } : body, timeout: bridge.api.timeout)
            response = try await bridge.api.transport.send(request)
        } catch {
            throw .transport(error)
        }
        guard response.isSuccess || response.status == .notModified else {
            throw .reply(ReplyError(response, FieldNames(table, bridge.schema)))
        }
        return response
    }
}

extension APIResponse {
    /// The first byte that is no JSON whitespace (RFC 8259 §2).
    private var firstByte: UInt8? { body.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } }

    /// Whether there is something to import. Some servers send a space, or a line break, for nothing.
    var hasBody: Bool { status != .noContent && status != .notModified && firstByte != nil }

    var isList: Bool { hasBody && firstByte == UInt8(ascii: "[") }

    /// Whether the body is JSON that says nothing of an object: a list, `"created"`, `true`, `null`.
    var isOtherThanObject: Bool {
        guard hasBody, let byte = firstByte else { return true }
        return "[\"tfn-0123456789".utf8.contains(byte)
    }

    /// Whether the body is `null` and nothing else.
    var isNull: Bool {
        // Most bodies are told by their first byte, however long they are.
        firstByte == UInt8(ascii: "n") && body.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == Array("null".utf8)
    }
}

extension APIError {
    /// What the store says of a reply's body.
    init(_ error: StoreError, _ response: APIResponse) {
        if case .json(let json) = error {
            self = .body(json, RequestSummary(response.request))
        } else {
            self = .store(error)
        }
    }
}
