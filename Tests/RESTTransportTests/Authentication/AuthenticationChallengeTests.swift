import Foundation
import HTTPTypes
import RESTTransport
import Testing

/// How `WWW-Authenticate` is read.
@Suite struct AuthenticationChallengeTests {
    /// A challenge on one line: `digest nonce=a realm=b`.
    private static func shown(_ challenges: [AuthenticationChallenge]) -> [String] {
        challenges.map { challenge in
            let parameters = challenge.parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            return ([challenge.scheme] + [challenge.token].compactMap(\.self) + parameters).joined(separator: " ")
        }
    }

    @Test(
        arguments: [
            (#"Basic realm="simple""#, ["basic realm=simple"]),
            ("Basic", ["basic"]), ("", []), (" , ,", []),
            // RFC 9110 §11.6.1.
            (
                #"Basic realm="simple", Newauth realm="apps", type=1, title="Login to \"apps\"""#,
                ["basic realm=simple", #"newauth realm=apps title=Login to "apps" type=1"#]
            ),
            ("Negotiate, Basic realm=a", ["negotiate", "basic realm=a"]),
            ("Negotiate YIIabc+/==, Basic realm=a", ["negotiate YIIabc+/==", "basic realm=a"]),
            ("Digest nonce=a==,realm=b", ["digest nonce=a realm=b"]),
            (#"Digest realm="a, Basic realm=b", nonce="c""#, ["digest nonce=c realm=a, Basic realm=b"]),
            ("DIGEST\tRealm = \"a\" ,nonce= b", ["digest nonce=b realm=a"]),
            (#"Digest realm="first", realm="second""#, ["digest realm=first"]),
            (#"Digest realm="""#, ["digest realm="]),
            (#"Digest realm="é""#, ["digest realm=é"]),
            // A malformed challenge ends at the next comma, so that the rest can be read.
            (#"Digest realm="open, nonce=a"#, ["digest"]),
            (#"@@@ "x,y", Basic realm=a"#, ["basic realm=a"]),
            ("=a, Basic realm=b", ["basic realm=b"]),
            ("Basic realm=a b c, charset=d", ["basic charset=d realm=a"]),
        ] as [(String, [String])])
    func `A challenge is parsed into its scheme and parameters`(field: String, expected: [String]) {
        #expect(Self.shown(AuthenticationChallenge.list(field)) == expected)
    }

    @Test func `Challenges of several header fields are all read`() throws {
        var fields = HTTPFields()
        for value in [#"Digest nonce="a", realm="r""#, "Basic realm=b, Bearer"] {
            fields.append(HTTPField(name: .wwwAuthenticate, value: value))
        }
        let reply = APIResponse(
            HTTPResponse(status: .unauthorized, headerFields: fields), to: APIRequest(.get, apiURL))
        #expect(Self.shown(reply.challenges) == ["digest nonce=a realm=r", "basic realm=b", "bearer"])
    }

    @Test(arguments: ["\"", "a,", "a=", "Digest a=\"b\" ", "\\", "Negotiate =="])
    func `Long challenge fields are read in linear time`(_ text: String) {
        #expect(AuthenticationChallenge.list(String(repeating: text, count: 100_000)).count <= 200_000)
    }
}
