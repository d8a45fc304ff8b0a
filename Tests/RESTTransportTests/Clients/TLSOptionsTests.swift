#if !canImport(Darwin)
    import HTTPTypes
    import RESTTransport
    import TestSupport
    import Testing

    /// Trust, pinned keys and client certificates, against a server of TLS on loopback.
    @Suite struct TLSOptionsTests {
        /// The SHA-256 of the certificate's public key, as `openssl dgst` prints it.
        private static let pin = "gHiUSvILBeesiXTYnDxyY7v6+kbKfGZNBKwkU5/1pik="
        private static let otherPin = "r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E="

        private static func reply(
            asking: Bool = false, _ change: (inout TLSOptions) -> Void
        ) async throws -> Result<Int, TransportError> {
            var manner = HTTP2Server.Manner()
            manner.asksForCertificate = asking
            return try await HTTP2Server.run(manner) { _, _ in
                [.head("200", ends: true)]
            } _: { _, base in
                var options = ConnectionOptions()
                options.timeout = patience
                options.tls.trustedCertificates = LoopbackCertificate.certificate
                change(&options.tls)
                let transport = try HTTPTransport(connecting: options)
                do throws(TransportError) {
                    return .success(
                        try await transport.send(APIRequest(.get, base + "/", timeout: patience)).status.code)
                } catch {
                    return .failure(error)
                }
            }
        }

        @Test func `A server with a pinned key is reached`() async throws {
            #expect(try await Self.reply { $0.pinnedKeys = [Self.otherPin, Self.pin] }.get() == 200)
        }

        @Test func `A server with another key than the pinned ones gets no request`() async throws {
            let result = try await Self.reply { $0.pinnedKeys = [Self.otherPin] }
            guard case .failure(let error) = result else {
                Issue.record("\(result)")
                return
            }
            #expect(error.reason == .tls("the server has another key than those that are pinned"))
        }

        @Test func `A pinned key doesn't make a certificate trusted`() async throws {
            let result = try await Self.reply {
                $0.trustedCertificates = nil
                $0.pinnedKeys = [Self.pin]
            }
            guard case .failure(let error) = result, case .tls = error.reason else {
                Issue.record("\(result)")
                return
            }
        }

        @Test(arguments: [false, true])
        func `A server that requests a client certificate gets the one of the options`(_ hasOne: Bool) async throws {
            let result = try await Self.reply(asking: true) {
                guard hasOne else { return }
                $0.clientCertificate = ClientCertificate(
                    chain: LoopbackCertificate.certificate, privateKey: LoopbackCertificate.privateKey)
            }
            switch result {
            case .success(let status): #expect(hasOne && status == 200)
            case .failure(let error): #expect(!hasOne, "\(error)")
            }
        }

        @Test(arguments: [
            ("no certificate", "The text of a trusted certificate is no certificate in PEM."),
            ("", "The text of a trusted certificate is no certificate in PEM."),
        ])
        func `A malformed certificate is an error when the transport is created`(_ text: String, _ message: String) {
            var options = ConnectionOptions()
            options.tls.trustedCertificates = text
            let error = #expect(throws: ConnectionOptionsError.self) { _ = try HTTPTransport(connecting: options) }
            #expect(error?.description == message)
        }

        @Test func `A malformed key is an error when the transport is created`() {
            var options = ConnectionOptions()
            options.tls.clientCertificate = ClientCertificate(chain: LoopbackCertificate.certificate, privateKey: "x")
            var error = #expect(throws: ConnectionOptionsError.self) { _ = try HTTPTransport(connecting: options) }
            #expect(error?.description == "The client's private key is no key in PEM without a passphrase.")
            options.tls.clientCertificate = nil
            options.tls.pinnedKeys = ["sha256/abc"]
            error = #expect(throws: ConnectionOptionsError.self) { _ = try HTTPTransport(connecting: options) }
            #expect(error?.description.hasPrefix("The pinned key \"sha256/abc\" is no SHA-256 in Base64") == true)
        }
    }
#endif
