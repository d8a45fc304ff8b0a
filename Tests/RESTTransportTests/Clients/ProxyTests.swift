#if !canImport(Darwin)
    import Foundation
    import HTTPTypes
    @testable import RESTTransport
    import TestSupport
    import Testing

    /// Proxies: the choice for a request, and the result.
    @Suite struct ProxyTests {
        private static let environment = [
            "http_proxy": "http://u:p@proxy.example:3128", "HTTP_PROXY": "http://evil.example",
            "HTTPS_PROXY": "secure.example",
            "all_proxy": "socks5://all.example:9",
            "no_proxy": "internal.example, .local,10.0.0.1,[::1],port.example:8080",
        ]

        @Test(arguments: [
            ("http://a.example/", "http proxy proxy.example:3128"),
            ("https://a.example/", "http proxy secure.example:1080"),
            ("http://internal.example/", "none"), ("http://x.internal.example/", "none"),
            ("http://notinternal.example/", "http proxy proxy.example:3128"), ("https://printer.local/", "none"),
            ("http://10.0.0.1/", "none"), ("http://[::1]/", "none"), ("http://port.example:8080/", "none"),
            ("http://port.example/", "http proxy proxy.example:3128"),
        ])
        func `Environment variables name proxies as for curl`(_ url: String, _ proxy: String) throws {
            let origin = try #require(URL(string: url).flatMap { Origin($0) })
            let found = try Proxies(environment: Self.environment).proxy(to: origin)
            #expect(found.map { "\($0)" } ?? "none" == proxy)
        }

        @Test func `A wildcard exempts all hosts from the proxy, and HTTP_PROXY in capitals is ignored`() throws {
            let origin = try #require(URL(string: "http://a.example/").flatMap { Origin($0) })
            func proxy(_ environment: [String: String]) throws -> Proxy? {
                try Proxies(environment: environment).proxy(to: origin)
            }
            #expect(try proxy(["all_proxy": "x", "no_proxy": "*"]) == nil)
            #expect(try proxy(["HTTP_PROXY": "x"]) == nil)
            #expect(try proxy(["ALL_PROXY": "socks5://x"]) == .socks(host: "x", port: 1080))
            #expect(try proxy(["all_proxy": "http://[::1]:3128"]) == .http(host: "::1", port: 3128))
            #expect(try proxy(["http_proxy": "", "all_proxy": ""]) == nil)
            #expect(try Proxies.none.proxy(to: origin) == nil)
        }

        @Test(arguments: [
            ("https://u:s3cr3t@proxy.example:3128", "https://"), ("socks4://proxy.example", "socks4://"),
            ("SOCKS4A://proxy.example", "socks4a://"), ("ftp://proxy.example", "ftp://"), ("http://", "no host"),
        ])
        func `A proxy of the environment that can't be used is an error, and no direct connection`(
            _ proxy: String, _ words: String
        ) async throws {
            for variable in ["https_proxy", "HTTPS_PROXY", "all_proxy"] {
                var options = ConnectionOptions()
                options.proxies = Proxies(environment: [variable: proxy, "no_proxy": "exempt.example"])
                let exempt = try #require(URL(string: "https://exempt.example/").flatMap { Origin($0) })
                #expect(try options.proxies.proxy(to: exempt) == nil)
                let transport = try HTTPTransport(connecting: options)
                let request = try APIRequest(.get, "https://nowhere.invalid/", timeout: patience)
                let error = await #expect(throws: TransportError.self) { _ = try await transport.send(request) }
                guard case .connectionFailed(let why)? = error?.reason else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
                #expect(why.contains(variable) && why.contains(words) && !why.contains("s3cr3t"), "\(why)")
                #expect(error?.saysUnsent == true)
            }
        }

        @Test func `No description of a proxy or certificate contains a secret`() {
            var dumped = ""
            dump(Proxy.http(host: "h", port: 1, user: "u", password: "s3cr3t"), to: &dumped)
            dump(ClientCertificate(chain: "s3cr3t", privateKey: "s3cr3t"), to: &dumped)
            #expect(!dumped.contains("s3cr3t"))
        }

        /// The answer to a request for a missing server, through a proxy that answers itself.
        private static func reply(
            _ steps: [RawServer.Step], to url: String
        ) async throws -> (result: Result<APIResponse, TransportError>, requests: [String]) {
            try await RawServer.run { _ in
                steps
            } _: { server, base in
                let port = try #require(URL(string: base)?.port)
                var options = ConnectionOptions()
                options.timeout = patience
                options.proxies = .server(.http(host: "127.0.0.1", port: port, user: "u", password: "p"))
                let transport = try HTTPTransport(connecting: options)
                let request = try APIRequest(.get, url, timeout: patience)
                do throws(TransportError) {
                    return (.success(try await transport.send(request)), server.requests)
                } catch {
                    return (.failure(error), server.requests)
                }
            }
        }

        @Test func `A request is sent through the proxy's tunnel, and only the proxy gets the proxy's credentials`()
            async throws
        {
            let answer = RawServer.Step.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
            let (result, requests) = try await Self.reply(
                [.send("HTTP/1.1 200 OK\r\n\r\n"), .readRequest, answer], to: "http://nowhere.invalid/a?b")
            #expect(try result.get().body == Array("ok".utf8) && requests.count == 2)
            #expect(requests[0].hasPrefix("CONNECT nowhere.invalid:80 HTTP/1.1\r\n"))
            #expect(requests[0].lowercased().contains("proxy-authorization: basic dtpw\r\n"))
            #expect(requests[1].hasPrefix("GET /a?b HTTP/1.1\r\n") && !requests[1].lowercased().contains("proxy-auth"))
        }

        @Test(arguments: [
            ("403 Forbidden", "refused"), ("407 Proxy Authentication Required", "user name"),
        ])
        func `A refused tunnel is reported as an error of the proxy`(_ status: String, _ word: String)
            async throws
        {
            let refusal = RawServer.Step.send("HTTP/1.1 \(status)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            let (result, requests) = try await Self.reply([refusal], to: "https://nowhere.invalid/")
            #expect(requests.first?.hasPrefix("CONNECT nowhere.invalid:443 HTTP/1.1\r\n") == true)
            guard case .failure(let error) = result, case .connectionFailed(let why) = error.reason else {
                Issue.record("\(result)")
                return
            }
            #expect(why.contains("proxy") && why.contains(word), "\(why)")
        }
    }
#endif
