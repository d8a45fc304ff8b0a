#if canImport(AsyncHTTPClient) && !canImport(Darwin)
    import Crypto
    import NIOCore
    import NIOSSL

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    struct UnknownKey: Error {}

    /// Compares a server's public key with the pinned ones, before the first request.
    enum PinCheck {
        /// Closes a connection with an unknown key. Call it on the connection's event loop.
        ///
        /// - Parameter keys: Empty for any key. Connections without TLS pass.
        @Sendable static func check(_ channel: any Channel, _ keys: Set<String>) -> EventLoopFuture<Void> {
            guard !keys.isEmpty else { return channel.eventLoop.makeSucceededVoidFuture() }
            return channel.eventLoop.makeCompletedFuture {
                guard (try? channel.pipeline.syncOperations.handler(type: NIOSSLClientHandler.self)) != nil else {
                    return
                }
                guard let certificate = try channel.pipeline.syncOperations.nioSSL_peerCertificate(),
                    keys.contains(try pin(of: certificate))
                else {
                    channel.close(promise: nil)
                    throw UnknownKey()
                }
            }
        }

        private static func pin(of certificate: NIOSSLCertificate) throws -> String {
            let key = try certificate.extractPublicKey().toSPKIBytes()
            return Data(SHA256.hash(data: key)).base64EncodedString()
        }
    }
#endif
