#if canImport(AsyncHTTPClient) && !canImport(Darwin)
    import AsyncHTTPClient
    import HTTPTypes
    import NIOCore
    import NIOHTTP1

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// Sends requests by AsyncHTTPClient, over pooled connections, HTTP/2 where the server has it.
    ///
    /// Keeps no cookies and no cache, and asks no proxy. Bodies in gzip are asked for and decompressed. Redirects are
    /// followed as ``FollowRedirects`` says. Copies share the connections; when the last copy goes, they are closed.
    public struct AsyncHTTPClientTransport: Transport {
        /// One for the whole process, with the standard limits.
        public static let standard = AsyncHTTPClientTransport()

        private let pool: ConnectionPool
        private let responseLimit: Int
        private let redirects: FollowRedirects

        /// Makes a client with connections of its own.
        ///
        /// - Parameters:
        ///   - responseLimit: The most bytes that a body may have, counted after decompression; 64 MiB unless told
        ///     otherwise. A larger one ends in ``TransportError/Reason/tooLarge(limit:)`` as soon as it is seen.
        ///   - connectTimeout: The longest that connecting may take, the request's timeout aside.
        ///   - redirects: Which redirects to follow.
        public init(
            responseLimit: Int = 64 << 20, connectTimeout: Duration = .seconds(10),
            redirects: FollowRedirects = FollowRedirects()
        ) {
            self.responseLimit = max(responseLimit, 0)
            self.redirects = redirects
            self.pool = ConnectionPool(responseLimit: self.responseLimit, connectTimeout: connectTimeout)
        }

        /// Sends a request, follows redirects, and reads the whole reply. Runs off the caller's actor.
        @concurrent
        public func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
            try await withDeadline(of: request) { () async throws(TransportError) -> APIResponse in
                try await redirects.intercept(request) { request async throws(TransportError) -> APIResponse in
                    try await exchange(request)
                }
            }
        }

        /// Sends one request and reads its reply, whatever it is.
        private func exchange(_ request: APIRequest) async throws(TransportError) -> APIResponse {
            try request.checkURL()
            do {
                // The deadline is enforced around all exchanges; the client's own ends with the head of the reply.
                let reply = try await pool.client.execute(HTTPClientRequest(request), deadline: .distantFuture)
                let body = try await body(of: reply, to: request)
                return APIResponse(HTTPResponse(reply), body: body, to: request)
            } catch {
                throw TransportError(error, of: request, responseLimit: responseLimit)
            }
        }

        private func body(of reply: HTTPClientResponse, to request: APIRequest) async throws -> [UInt8] {
            let promised = reply.headers.first(name: "content-length").flatMap { Int($0) }
            let isBodiless = request.method == .head || [204, 304].contains(reply.status.code)
            if let promised, promised > responseLimit, !isBodiless { throw BodyError.tooLarge }
            var body: [UInt8] = []
            do {
                if let promised, !isBodiless { body.reserveCapacity(promised) }
                for try await part in reply.body {
                    guard part.readableBytes <= responseLimit - body.count else { throw BodyError.tooLarge }
                    body.append(contentsOf: part.readableBytesView)
                }
                // A cancelled stream may end as if it were complete.
                try Task.checkCancellation()
            } catch  where isBodiless && body.isEmpty && !Task.isCancelled {
                // The decompressor takes no body at all for a truncated one, when the head announces a compressed body.
            }
            return body
        }
    }

    /// What is wrong with a body, apart from what the client itself reports.
    enum BodyError: Error {
        case tooLarge
    }

    extension HTTPClientRequest {
        /// The client's form of a request.
        fileprivate init(_ request: APIRequest) {
            self.init(url: request.url.absoluteString)
            method = HTTPMethod(rawValue: request.method.rawValue)
            for field in request.headerFields {
                headers.add(name: field.name.rawName, value: field.value)
            }
            // Not deflate, which the client would offer too: servers disagree on whether it has a zlib header.
            if !headers.contains(name: "accept-encoding") { headers.add(name: "accept-encoding", value: "gzip") }
            body = request.body.map { .bytes(ByteBuffer(bytes: $0)) }
        }
    }

    extension HTTPResponse {
        /// The head of the client's reply, without the fields that described the compressed body.
        fileprivate init(_ reply: HTTPClientResponse) {
            let code = (0...999).contains(Int(reply.status.code)) ? Int(reply.status.code) : 999
            var fields = HTTPFields()
            for (name, value) in reply.headers {
                guard let name = HTTPField.Name(name) else { continue }
                fields.append(HTTPField(name: name, value: value))
            }
            if let encoding = fields[.contentEncoding]?.lowercased(), encoding == "gzip" || encoding == "deflate" {
                fields[.contentEncoding] = nil
                fields[.contentLength] = nil
            }
            self.init(status: Status(code: code, reasonPhrase: reply.status.reasonPhrase), headerFields: fields)
        }
    }
#endif
