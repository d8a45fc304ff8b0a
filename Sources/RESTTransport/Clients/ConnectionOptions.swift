#if canImport(AsyncHTTPClient) && !canImport(Darwin)
    /// Options for the connections of ``AsyncHTTPClientTransport``: proxies and TLS.
    ///
    /// ```swift
    /// var options = ConnectionOptions()
    /// options.proxies = .environment
    /// options.tls.pinnedKeys = ["r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E="]
    /// let api = API("https://api.example.com", transport: try HTTPTransport(connecting: options))
    /// ```
    public struct ConnectionOptions: Sendable {
        /// The most time for connecting, besides the request's timeout.
        public var timeout: Duration = .seconds(10)

        /// The proxies for requests.
        public var proxies = Proxies.none

        /// The trusted servers, and the transport's own certificate.
        public var tls = TLSOptions()

        /// Creates default options.
        public init() {}
    }

    /// The servers that a transport trusts, and its own certificate.
    public struct TLSOptions: Sendable {
        /// The only trusted certificates or authorities, in PEM; nil for those of the system.
        public var trustedCertificates: String?

        /// The allowed public keys, each as the SHA-256 of its `SubjectPublicKeyInfo` in Base64
        /// ([RFC 7469 §2.4](https://www.rfc-editor.org/rfc/rfc7469#section-2.4)); empty for any. The certificate must
        /// be trusted, too.
        ///
        /// This prints the key of a server:
        ///
        /// ```sh
        /// openssl s_client -connect api.example.com:443 </dev/null | openssl x509 -pubkey -noout |
        ///     openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | base64
        /// ```
        ///
        /// Add a reserve key. Requests to a server with any other key end with ``TransportError/Reason/tls(_:)``
        /// unsent.
        public var pinnedKeys: Set<String> = []

        /// The certificate for servers that request one.
        public var clientCertificate: ClientCertificate?

        /// Creates options with the system's trust.
        public init() {}
    }

    /// A certificate with its private key.
    public struct ClientCertificate: Sendable {
        let chain: String
        let privateKey: String

        /// Creates a certificate from PEM.
        ///
        /// - Parameters:
        ///   - chain: The certificate, then those up to the authority.
        ///   - privateKey: The private key, unencrypted.
        public init(chain: String, privateKey: String) { (self.chain, self.privateKey) = (chain, privateKey) }
    }

    extension ClientCertificate: CustomStringConvertible, CustomReflectable {
        /// The type's name, without the key.
        public var description: String { "ClientCertificate" }

        /// The description alone.
        public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
    }

    /// The error for unusable options of a transport.
    public struct ConnectionOptionsError: Error, Sendable, CustomStringConvertible {
        /// The problem, and the way to solve it.
        public let description: String
    }
#endif
