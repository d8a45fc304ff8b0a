import Foundation
import HTTPTypes
import RESTTransport
import TestSupport
import Testing

/// Malformed challenges, cookies and `.netrc` files. The program survives all of them.
@Suite struct AuthenticationFuzzTests {
    private static let challenges = [
        #"Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=SHA-256, nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS""#,
        #"Negotiate YII==, Basic realm="a\"b", charset="UTF-8", Newauth"#,
    ]
    private static let challengeWords = [
        "=", ",", "\"", "\\", " ", "Digest ", "realm=", "nonce=\"", "==", "\t", "é", "\u{0}",
    ]

    @Test(arguments: Fuzzing.seeds(8))
    func `Challenges read from mutated text have a scheme`(_ seed: UInt64) {
        var mutator = Mutator(seed: seed, words: Self.challengeWords)
        for _ in 0..<500 {
            let field = mutator.nextText(Self.challenges)
            for challenge in AuthenticationChallenge.list(field) {
                #expect(!challenge.scheme.isEmpty && !challenge.parameters.keys.contains(""), "\(field)")
            }
        }
    }

    private static let cookies = [
        "SID=31d4d96e407aad42; Path=/v1; Domain=example.com; Secure; HttpOnly; Max-Age=3600; SameSite=Lax",
        "lang=en-US; Expires=Wed, 09 Jun 2021 10:18:14 GMT",
        "__Host-a=b; Path=/; Secure; expires=Mon Jan 12 13:47:40 1970",
    ]
    private static let cookieWords = [
        ";", "=", ",", " ", "Expires=", "Max-Age=", "-", "Domain=.", "Path=", ":", "99", "Feb", "\t", "é", "\u{0}",
    ]

    @Test(arguments: Fuzzing.seeds(8))
    func `A mutated Set-Cookie field never causes control characters in a request`(_ seed: UInt64) async throws {
        var mutator = Mutator(seed: seed, words: Self.cookieWords)
        for _ in 0..<200 {
            let field = mutator.nextText(Self.cookies)
            let stub = Stub(.status(.ok, [.setCookie: field]))
            let chain = TransportChain(stub) { Cookies(time: FakeTime().source) }
            for _ in 1...2 { _ = try await chain.send(APIRequest(.get, apiURL)) }
            let cookie = stub.requests[1].headerFields[.cookie]
            #expect(cookie?.utf8.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F } != true, "\(field)")
            _ = SetCookieFields.split(field)
        }
    }

    private static let netrc = #"""
        machine api.example.com login me password geheim
        machine other.example.com   # the rest of the line is a comment
            login "a \"b\" c" account unused password "tab\tslash\\ #"
        macdef init
            anything

        default login anonymous password me@example.com
        """#
    private static let netrcWords = [
        "\"", "\\", "#", "\n", " ", "machine ", "login ", "password ", "macdef ", "default ", "\r",
    ]

    @Test(arguments: Fuzzing.seeds(8))
    func `A mutated netrc file is read or refused with a valid line number`(_ seed: UInt64) {
        var mutator = Mutator(seed: seed, words: Self.netrcWords)
        for _ in 0..<500 {
            let text = mutator.nextText([Self.netrc])
            do throws(NetrcError) { _ = try Netrc(text).user(for: "api.example.com") } catch {
                let lines = text.utf8.count { $0 == UInt8(ascii: "\n") } + 1
                #expect((1...lines).contains(error.line ?? 0), "\(text)")
            }
        }
    }
}
