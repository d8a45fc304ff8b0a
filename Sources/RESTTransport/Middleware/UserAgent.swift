import HTTPTypes

/// Names the program to the server in `User-Agent`, unless a request has one; some APIs refuse requests without it.
///
/// Without this middleware URLSession names the app, and the client on Linux the library and its version.
public struct UserAgent: Middleware, RequestEditing {
    /// What a program is named that doesn't name itself.
    static let standard = "RestfulData/0.1.0"

    private let headers: Headers

    /// Names the program.
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

    /// The request with `User-Agent` added.
    package func edited(_ request: APIRequest) -> APIRequest { headers.edited(request) }
}
