#if canImport(AsyncHTTPClient) && !canImport(Darwin)
    /// How ``AsyncHTTPClientTransport`` connects to servers: through which proxy, and whom it trusts. The transport of
    /// Apple platforms takes a configuration of a session instead.
    ///
    /// ```swift
    /// var options = ConnectionOptions()
    /// options.proxies = .environment
    /// options.tls.pinnedKeys = ["r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E="]
    /// let api = API("https://api.example.com", transport: try HTTPTransport(connecting: options))
    /// ```
    public struct ConnectionOptions: Sendable {
        /// The longest that connecting may take, apart from the request's timeout; 10 seconds by default.
        public var timeout: Duration = .seconds(10)

        /// The proxies that requests go through.
        public var proxies = Proxies.none

        /// Whom the transport trusts, and how it shows who it is.
        public var tls = TLSOptions()

        /// Options that change nothing.
        public init() {}
    }

    /// Whom a transport trusts, and how it shows who it is.
    public struct TLSOptions: Sendable {
        /// The only certificates, or authorities, that are trusted, in PEM; nil for those of the system.
        public var trustedCertificates: String?

        /// The public keys that a server may have, each as the SHA-256 of its `SubjectPublicKeyInfo` in Base64
        /// ([RFC 7469 §2.4](https://www.rfc-editor.org/rfc/rfc7469#section-2.4)); none for any key. The certificate
        /// must be trusted as well.
        ///
        /// The key of a server is what this prints:
        ///
        /// ```sh
        /// openssl s_client -connect api.example.com:443 </dev/null | openssl x509 -pubkey -noout |
        ///     openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | base64
        /// ```
        ///
        /// Name a second key that you keep in reserve. Requests to a server with any other key end with
        /// ``TransportError/Reason/tls(_:)`` before they are sent.
        public var pinnedKeys: Set<String> = []

        /// The certificate that the transport shows to servers that ask for one; nil for none.
        public var clientCertificate: ClientCertificate?

        /// Options that trust whom the system trusts.
        public init() {}
    }

    /// A certificate with its private key.
    public struct ClientCertificate: Sendable {
        let chain: String
        let privateKey: String

        /// A certificate in PEM.
        ///
        /// - Parameters:
        ///   - chain: The certificate, and behind it those that lead to the authority.
        ///   - privateKey: The private key, without a passphrase.
        public init(chain: String, privateKey: String) { (self.chain, self.privateKey) = (chain, privateKey) }
    }

    extension ClientCertificate: CustomStringConvertible, CustomReflectable {
        /// The type's name alone.
        public var description: String { "ClientCertificate" }

        /// What `dump` shows: the description.
        public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
    }

    /// Options of a transport that can't be used.
    public struct ConnectionOptionsError: Error, Sendable, CustomStringConvertible {
        /// What is wrong, and what to write.
        public let description: String
    }
#endif
