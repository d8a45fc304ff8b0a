import HTTPTypes

/// Sends the program's name as `User-Agent`, unless a request has one. Some APIs require it.
///
/// By default, URLSession sends the app's name, and the client on Linux sends this library's name and version.
public struct UserAgent: Middleware, RequestEditing {
    /// The default on Linux.
    static let standard = "RestfulData/0.1.0"

    private let headers: Headers

    /// Sends this name.
    ///
    /// - Parameter product: For example `MyTool/1.4 (https://example.com/mytool)`
    ///   ([RFC 9110 §10.1.5](https://www.rfc-editor.org/rfc/rfc9110#section-10.1.5)).
    public init(_ product: String) {
        headers = Headers([.userAgent: product])
    }

    /// Sends the request with `User-Agent` added.
    public func intercept(_ request: APIRequest, next: Next) async throws(TransportError) -> APIResponse {
        try await next(edited(request))
    }

    package func edited(_ request: APIRequest) -> APIRequest { headers.edited(request) }
}
