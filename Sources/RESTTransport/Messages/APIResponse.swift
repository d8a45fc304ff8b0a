public import HTTPTypes

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A server's whole reply to one request, whatever its status.
///
/// Its description shows status, length, and the request without secrets; never header fields, never the body.
public struct APIResponse: Sendable, Hashable {
    /// Status and header fields, as they came; `Content-Encoding` and `Content-Length` are left out where the body was
    /// decompressed.
    public var head: HTTPResponse

    /// The bytes of the body, decompressed; empty where there was none.
    public var body: [UInt8]

    /// The URL that answered: the request's own, or where redirects led.
    public var url: URL

    /// The request that this answers, as it was handed to the transport.
    public var request: APIRequest

    /// Makes a reply; what transports and stubs do.
    ///
    /// - Parameters:
    ///   - head: Status and header fields.
    ///   - body: The bytes of the body.
    ///   - url: The URL that answered; the request's own where nil.
    ///   - request: The request that this answers.
    public init(_ head: HTTPResponse, body: [UInt8] = [], url: URL? = nil, to request: APIRequest) {
        self.head = head
        self.body = body
        self.url = url ?? request.url
        self.request = request
    }

    /// The status, for example 200.
    public var status: HTTPResponse.Status { head.status }

    /// The header fields.
    public var headerFields: HTTPFields { head.headerFields }

    /// Whether the status is one of 200 to 299.
    public var isSuccess: Bool { head.status.kind == .successful }
}

extension APIResponse: CustomStringConvertible, CustomReflectable {
    /// Status, length of the body, and the request, secrets replaced.
    public var description: String { "\(status.code) with \(body.count) bytes to \(RequestSummary(request))" }

    /// What `dump` and test failures show: the description.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
}
