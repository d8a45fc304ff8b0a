/// What sends one HTTP request and brings back one reply.
///
/// This is the only seam to the network. ``HTTPTransport/standard`` is the ready one; a test's stub is another:
///
/// ```swift
/// struct Stub: Transport {
///     func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
///         APIResponse(HTTPResponse(status: .noContent), to: request)
///     }
/// }
/// ```
public protocol Transport: Sendable {
    /// Sends a request and waits for the whole reply.
    ///
    /// A conforming type returns every reply that the server gave, whatever its status: an error means that there is
    /// no reply. It ends within ``APIRequest/timeout``, and promptly when the calling task is cancelled.
    ///
    /// - Parameter request: What to send, to an absolute `http` or `https` URL.
    /// - Returns: The reply, its body complete and decompressed.
    /// - Throws: ``TransportError`` when no whole reply came.
    func send(_ request: APIRequest) async throws(TransportError) -> APIResponse
}
