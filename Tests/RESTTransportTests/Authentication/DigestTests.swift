import Foundation
import HTTPTypes
import RESTTransport
import Synchronization
import TestSupport
import Testing

/// Digest by RFC 7616: the answer to each challenge.
@Suite(.timeLimit(.minutes(10))) struct DigestTests {
    /// The first request is refused with these challenges, and others are accepted.
    private static func challenging(_ challenges: String...) -> Stub {
        var fields = HTTPFields()
        for challenge in challenges { fields.append(HTTPField(name: .wwwAuthenticate, value: challenge)) }
        return Stub(.status(.unauthorized, fields), .status(.ok))
    }

    private static func chain(_ stub: Stub, _ digest: DigestAuthentication, api: String) throws -> TransportChain {
        TransportChain(api: try #require(URL(string: api)), transport: stub) { digest }
    }

    /// The fields of the answer that a request carries, if any.
    private static func answer(_ request: APIRequest) -> [String: String] {
        let challenges = AuthenticationChallenge.list(request.headerFields[.authorization] ?? "")
        return challenges.first?.parameters ?? [:]
    }

    private static func mufasa(_ password: String = "Circle of Life", nonce: String) -> DigestAuthentication {
        DigestAuthentication(user: "Mufasa", password: password) { nonce }
    }

    // MARK: Examples of RFCs

    private static let rfc7616Nonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
    private static let rfc7616 = #"""
        Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=%, \#
        nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
        """#

    @Test(arguments: [
        ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
        ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
    ])
    func `Digest responses are those of RFC 7616, section 3.9.1`(algorithm: String, response: String) async throws {
        let stub = Self.challenging(Self.rfc7616.replacing("%", with: algorithm))
        let digest = Self.mufasa(nonce: Self.rfc7616Nonce)
        let url = "http://www.example.org/dir/index.html"
        let reply = try await Self.chain(stub, digest, api: "http://www.example.org").send(APIRequest(.get, url))
        #expect(reply.isSuccess && stub.requests.count == 2)
        #expect(stub.requests[0].headerFields[.authorization] == nil)
        let expected = #"""
            Digest username="Mufasa", realm="http-auth@example.org", uri="/dir/index.html", algorithm=\#(algorithm), \#
            nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", nc=00000001, cnonce="\#(Self.rfc7616Nonce)", \#
            qop=auth, response="\#(response)", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
            """#
        #expect(stub.requests[1].headerFields[.authorization] == expected)
    }

    /// With SHA-256, as computed by another implementation: the RFC's own example has SHA-512-256, and its values are
    /// those of another hash (erratum 4897).
    @Test func `The user's name is hashed as in RFC 7616, section 3.9.2`() async throws {
        let stub = Self.challenging(
            #"""
            Digest realm="api@example.org", qop="auth", algorithm=SHA-256, charset=UTF-8, userhash=true, \#
            nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", opaque="HRPCssKJSGjCrkzDg8OhwpzCiGChXYjwrI2QmXDnsOS"
            """#)
        let digest = DigestAuthentication(user: "Jäsøn Doe", password: "Secret, or not?") {
            "NTg6RKcb9boFIAS3KrFK9BGeh+niz/sm"
        }
        _ = try await Self.chain(stub, digest, api: "http://api.example.org")
            .send(APIRequest(.get, "http://api.example.org/doe.json"))
        let answer = Self.answer(stub.requests[1])
        #expect(answer["username"] == "5a1a8a47df5c298551b9b42ba9b05835174a5bd7d511ff7fe9191d8e946fc4e7")
        #expect(answer["response"] == "06d0c14162099f487a92ebceaf71097534ee5f90d858386449c337ab69f7f6b8")
        #expect(answer["userhash"] == "true")
    }

    /// Of RFC 2617, section 3.5, and the same challenge in other forms, computed by another implementation.
    @Test(
        arguments: [
            (#"qop="auth,auth-int""#, HTTPRequest.Method.get, nil, "6629fae49393a05397450978507c4ef1", "auth"),
            ("", .get, nil, "670fd8c2df070c60b045671b8b24ff02", nil),
            ("qop=auth, algorithm=MD5-sess", .get, nil, "8e3825c57e897f5a0dec6c2d4e5059d0", "auth"),
            (
                "qop=auth, algorithm=SHA-256-sess", .get, nil,
                "b8822e12417cb7750f4e2b8515f0dcf25b7dd26993e80bee1426201446a7f59b", "auth"
            ),
            ("qop=auth-int", .post, "hello", "b3da9049011b9dafbd8fc28b2deecc0b", "auth-int"),
            ("qop=auth-int", .get, nil, "5e6610ecf9ba3017a4870ad48e3ad30b", "auth-int"),
        ] as [(String, HTTPRequest.Method, String?, String, String?)])
    func `Each digest algorithm and protection gives its own response`(
        row: (challenge: String, method: HTTPRequest.Method, body: String?, response: String, protection: String?)
    ) async throws {
        let stub = Self.challenging(
            #"""
            Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", \#
            opaque="5ccc069c403ebaf9f0171e9517f40e41", \#(row.challenge)
            """#)
        let digest = Self.mufasa("Circle Of Life", nonce: "0a4f113b")
        let request = try APIRequest(
            row.method, "http://www.example.com/dir/index.html", body: row.body.map { .text($0) })
        _ = try await Self.chain(stub, digest, api: "http://www.example.com").send(request)
        let answer = Self.answer(stub.requests[1])
        #expect(answer["response"] == row.response && answer["qop"] == row.protection)
        #expect((answer["nc"] != nil) == (row.protection != nil))
    }

    // MARK: Which challenge

    @Test(
        arguments: [
            ([#"Digest realm=r, nonce=a, qop=auth, algorithm=SHA-512-256"#, "Digest realm=r, nonce=b, qop=auth"], "b"),
            (["Basic realm=r, Digest realm=r, nonce=a, qop=auth, algorithm=SHA-256, Digest realm=r, nonce=b"], "a"),
            (["Digest realm=r, nonce=a, qop=token, Digest realm=r, nonce=b, qop=\"token, AUTH\""], "b"),
            (["Digest realm=r, nonce=a, algorithm=MD5-sess"], nil), (["Digest nonce=a"], nil),
            (["Digest realm=r"], nil),
            (["Basic realm=r"], nil), ([], nil),
        ] as [([String], String?)])
    func `The first digest challenge that can be answered is answered`(challenges: [String], nonce: String?)
        async throws
    {
        let stub = Self.challenging(challenges.joined(separator: ", "))
        let reply = try await TransportChain(stub) { Self.mufasa(nonce: "c") }.send(APIRequest(.get, apiURL))
        #expect(reply.isSuccess == (nonce != nil))
        #expect(stub.requests.last.flatMap { Self.answer($0)["nonce"] } == nonce)
    }

    @Test func `A stream body isn't protected by digest, and a challenge that requires it isn't answered`() async throws
    {
        let body = RequestBody.stream {
            let (chunks, ending) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
            ending.finish()
            return chunks
        }
        for (protection, count) in [("auth-int", 1), (#""auth-int,auth""#, 2)] {
            let stub = Self.challenging("Digest realm=r, nonce=a, qop=\(protection)")
            _ = try await TransportChain(stub) { Self.mufasa(nonce: "c") }.send(APIRequest(.put, apiURL, body: body))
            #expect(stub.requests.count == count)
        }
    }

    // MARK: Nonces

    /// Which nonce each request had, and its count.
    private static func nonces(_ stub: Stub) -> [String] {
        stub.requests.map { request in
            let answer = answer(request)
            return answer["nonce"].map { "\($0) \(answer["nc"] ?? "")" } ?? "-"
        }
    }

    @Test func `Later requests send the digest nonce at once, with an increasing count`() async throws {
        let stub = Self.challenging("Digest realm=r, nonce=a, qop=auth")
        let chain = TransportChain(stub) { Self.mufasa(nonce: "c") }
        for _ in 1...3 { #expect(try await chain.send(APIRequest(.get, apiURL)).isSuccess) }
        #expect(Self.nonces(stub) == ["-", "a 00000001", "a 00000002", "a 00000003"])
    }

    @Test func `A stale digest nonce is replaced with a new count, even before one was accepted`() async throws {
        let stub = Stub { number, _ in
            switch number {
            case 0, 1: .status(.unauthorized, [.wwwAuthenticate: "Digest realm=r, nonce=a, qop=auth"])
            case 2: .status(.unauthorized, [.wwwAuthenticate: "Digest realm=r, nonce=b, qop=auth, stale=TRUE"])
            default: .status(.ok)
            }
        }
        let chain = TransportChain(stub) { Self.mufasa(nonce: "c") }
        #expect(try await chain.send(APIRequest(.get, apiURL)).status == .unauthorized)
        #expect(try await chain.send(APIRequest(.get, apiURL)).isSuccess)
        #expect(Self.nonces(stub) == ["-", "a 00000001", "a 00000002", "b 00000001"])
    }

    @Test func `A digest nonce that was accepted before is replaced even if not marked as stale`() async throws {
        let stub = Stub { number, _ in
            switch number {
            case 0: .status(.unauthorized, [.wwwAuthenticate: "Digest realm=r, nonce=a, qop=auth"])
            case 2: .status(.unauthorized, [.wwwAuthenticate: "Digest realm=r, nonce=b, qop=auth"])
            default: .status(.ok)
            }
        }
        let chain = TransportChain(stub) { Self.mufasa(nonce: "c") }
        for _ in 1...2 { #expect(try await chain.send(APIRequest(.get, apiURL)).isSuccess) }
        #expect(Self.nonces(stub) == ["-", "a 00000001", "a 00000002", "b 00000001"])
    }

    @Test func `A wrong digest password is sent once per request`() async throws {
        let stub = Stub { number, _ in
            .status(.unauthorized, [.wwwAuthenticate: "Digest realm=r, nonce=n\(number), qop=auth"])
        }
        let chain = TransportChain(stub) { Self.mufasa(nonce: "c") }
        for _ in 1...2 { #expect(try await chain.send(APIRequest(.get, apiURL)).status == .unauthorized) }
        #expect(Self.nonces(stub) == ["-", "n0 00000001", "n0 00000002"])
    }

    @Test func `The next digest nonce is the one of Authentication-Info`() async throws {
        let stub = Stub { number, _ in
            switch number {
            case 0: .status(.unauthorized, [.wwwAuthenticate: "Digest realm=r, nonce=a, qop=auth"])
            case 1: .status(.ok, [.authenticationInfo: #"qop=auth, nextnonce="b,c", nc=00000001"#])
            default: .status(.ok)
            }
        }
        let chain = TransportChain(stub) { Self.mufasa(nonce: "c") }
        for _ in 1...3 { _ = try await chain.send(APIRequest(.get, apiURL)) }
        #expect(Self.nonces(stub) == ["-", "a 00000001", "b,c 00000001", "b,c 00000002"])
    }

    @Test func `Concurrent requests share one digest nonce with distinct counts`() async throws {
        let waiting = PendingStub()
        let chain = TransportChain(api: apiURL, transport: waiting) { Self.mufasa(nonce: "c") }
        await withTaskGroup(of: Int?.self) { group in
            for _ in 0..<20 {
                group.addTask { try? await chain.send(APIRequest(.get, apiURL, timeout: patience)).status.code }
            }
            await until { waiting.pending == 20 }
            for number in 0..<20 {
                waiting.answer(
                    1, .status(.unauthorized, [.wwwAuthenticate: "Digest realm=r, nonce=n\(number), qop=auth"]))
            }
            await until { waiting.requests.count == 40 }
            waiting.answer(20)
            for await status in group { #expect(status == 200) }
        }
        let answers = waiting.requests.dropFirst(20).map { Self.answer($0) }
        #expect(Set(answers.map { $0["nonce"] }).count == 1)
        #expect(Set(answers.map { $0["nc"] }).count == 20)
    }

    // MARK: Names

    @Test(arguments: [
        ("Müller", "username*", "UTF-8''M%C3%BCller"), (#"a"b\c"#, "username", #"a"b\c"#),
        ("line\nbreak", "username*", "UTF-8''line%0Abreak"),
    ])
    func `Digest user names that a quoted string can't hold are percent-encoded`(
        user: String, field: String, value: String
    ) async throws {
        let stub = Self.challenging("Digest realm=r, nonce=a, qop=auth")
        let chain = TransportChain(stub) { DigestAuthentication(user: user, password: "p") }
        _ = try await chain.send(APIRequest(.get, apiURL))
        #expect(Self.answer(stub.requests[1])[field] == value)
    }

    @Test func `A digest user name with a colon is an error before any request`() async throws {
        let stub = Stub(.status(.ok))
        let chain = TransportChain(stub) { DigestAuthentication(user: "a:b", password: "p") }
        let error = await failure { () async throws(TransportError) in try await chain.send(APIRequest(.get, apiURL)) }
        #expect(error?.reason == .credentialUnavailable("the user name has a colon"))
        #expect(stub.requests.isEmpty)
    }

    @Test(arguments: TransportKind.allCases)
    func `The URL of a digest response is the one sent`(kind: TransportKind) async throws {
        try await withWebServer { request in
            guard let answer = request.fields["authorization"].flatMap({ AuthenticationChallenge.list($0).first })
            else {
                return ServerReply(status: 401, fields: ["WWW-Authenticate": "Digest realm=r, nonce=a, qop=auth"])
            }
            return ServerReply(body: answer.parameters["uri"] == request.target ? "same" : request.target)
        } _: { base in
            let chain = TransportChain(api: try #require(URL(string: base)), transport: kind.make()) {
                DigestAuthentication(user: "u", password: "p")
            }
            for path in ["", "/", "/a%20b?q=%22x%22&r=a+b", "/%C3%A9?x=1"] {
                let reply = try await chain.send(APIRequest(.get, base + path))
                #expect(String(decoding: reply.body, as: UTF8.self) == "same", "\(path)")
            }
        }
    }
}
