#if canImport(AsyncHTTPClient) && !canImport(Darwin)
    import AsyncHTTPClient
    import NIOCore
    import NIOHTTPCompression
    import NIOSSL
    import Synchronization

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// One client for each proxy. The connections close with the last user of the pool.
    final class ConnectionPool: Sendable {
        /// The most kept HTTP/1.1 connections to one server, by the client's own default.
        static let mostConnections = 8

        private let proxies: Proxies
        private let configuration: HTTPClient.Configuration
        private let direct: HTTPClient
        private let throughProxies = Mutex<[Proxy: HTTPClient]>([:])
        /// Whether the client is the program's, which shuts it down.
        private let isForeign: Bool

        /// - Parameter tls: Nil for the client's default.
        init(_ options: ConnectionOptions, tls: TLSConfiguration?) {
            proxies = options.proxies
            configuration = Self.configuration(options, tls: tls)
            direct = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
            isForeign = false
        }

        init(_ client: HTTPClient) {
            (proxies, configuration, direct, isForeign) = (.none, HTTPClient.Configuration(), client, true)
        }

        private static func configuration(
            _ options: ConnectionOptions, tls: TLSConfiguration?
        ) -> HTTPClient.Configuration {
            let connectTimeout = min(max(options.timeout, .milliseconds(1)), .seconds(86_400))
            var configuration = HTTPClient.Configuration(
                tlsConfiguration: tls, redirectConfiguration: .disallow,
                timeout: .init(connect: TimeAmount(connectTimeout)),
                // The transport counts decompressed bytes.
                decompression: .enabled(limit: .none))
            // The client's spans contain URLs with secrets, unlike those of RequestTracing.
            configuration.tracing.tracer = nil
            // Middleware decides about retries, as it knows the deadline.
            configuration.connectionPool.retryConnectionEstablishment = false
            configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = mostConnections
            let keys = options.tls.pinnedKeys
            configuration.http1_1ConnectionDebugInitializer = { channel in
                PinCheck.check(channel, keys).flatMap { StatusCheck.add(to: channel) }
                    .flatMap { EarlyReplyCheck.add(to: channel) }.flatMap { ReuseCheck.add(to: channel) }
            }
            configuration.http2ConnectionDebugInitializer = { channel in
                PinCheck.check(channel, keys).flatMap { ConnectionCheck.add(to: channel) }
            }
            configuration.http2StreamChannelDebugInitializer = StreamCheck.add
            return configuration
        }

        func client(for url: URL) throws(UnusableProxy) -> HTTPClient {
            guard let origin = Origin(url), let proxy = try proxies.proxy(to: origin) else { return direct }
            return throughProxies.withLock { clients in
                if let client = clients[proxy] { return client }
                var configuration = configuration
                configuration.proxy = HTTPClient.Configuration.Proxy(proxy)
                let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
                clients[proxy] = client
                return client
            }
        }

        deinit {
            guard !isForeign else { return }
            for client in [direct] + throughProxies.withLock({ Array($0.values) }) {
                // A request in flight keeps the pool alive, so this ends idle connections only. The closure keeps the
                // client, which must be shut down before it is deallocated.
                client.shutdown { [client] _ in _ = client }
            }
        }
    }

    extension HTTPClient.Configuration.Proxy {
        fileprivate init(_ proxy: Proxy) {
            switch (proxy.kind, proxy.user) {
            case (.socks, _): self = .socksServer(host: proxy.host, port: proxy.port)
            case (.http, nil): self = .server(host: proxy.host, port: proxy.port)
            case (.http, let user?):
                self = .server(
                    host: proxy.host, port: proxy.port,
                    authorization: .basic(username: user, password: proxy.password ?? ""))
            }
        }
    }

    extension TLSConfiguration {
        /// - Throws: ``ConnectionOptionsError`` for an invalid certificate or key.
        init(_ options: TLSOptions) throws(ConnectionOptionsError) {
            self = .makeClientConfiguration()
            if let trusted = options.trustedCertificates {
                trustRoots = .certificates(try Self.certificates(trusted, named: "a trusted certificate"))
            }
            if let own = options.clientCertificate {
                let chain = try Self.certificates(own.chain, named: "the client's certificate")
                certificateChain = chain.map { .certificate($0) }
                do {
                    privateKey = .privateKey(try NIOSSLPrivateKey(bytes: Array(own.privateKey.utf8), format: .pem))
                } catch {
                    throw ConnectionOptionsError(
                        description: "The client's private key is no key in PEM without a passphrase.")
                }
            }
            for key in options.pinnedKeys where Data(base64Encoded: key)?.count != 32 {
                throw ConnectionOptionsError(
                    description: "The pinned key \"\(key)\" is no SHA-256 in Base64, which has 44 characters.")
            }
        }

        private static func certificates(
            _ text: String, named name: String
        ) throws(ConnectionOptionsError) -> [NIOSSLCertificate] {
            do {
                let certificates = try NIOSSLCertificate.fromPEMBytes(Array(text.utf8))
                if !certificates.isEmpty { return certificates }
            } catch {}
            throw ConnectionOptionsError(description: "The text of \(name) is no certificate in PEM.")
        }
    }
#endif
