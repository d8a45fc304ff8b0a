import Foundation
import HTTPTypes
import RESTTransport
import TestSupport
import Testing

/// Reading of a `.netrc` file, and the login of each host.
@Suite struct NetrcTests {
    private static let file = #"""
        # All machines
        machine api.example.com login me password geheim
        machine
            other.example.com   # the rest of the line is a comment
            login "a \"b\" c"
            account unused password "tab\tslash\\ #"
        macdef init
            machine trap.example.com login x password y
            anything

        machine Nologin.example.com password p
        machine nopassword.example.com login solo
        machine api.example.com login second password second
        default login anonymous password me@example.com
        machine late.example.com login late password late
        """#

    @Test(arguments: [
        ("api.example.com", "me:geheim"), ("API.example.com", "me:geheim"),
        ("other.example.com", "a \"b\" c:tab\tslash\\ #"), ("nologin.example.com", nil),
        ("nopassword.example.com", "solo:"), ("trap.example.com", "anonymous:me@example.com"),
        ("late.example.com", "anonymous:me@example.com"),
    ])
    func `A host gets the login of its first netrc entry`(host: String, login: String?) async throws {
        let netrc = try Netrc(Self.file)
        let stub = Stub(.status(.ok))
        let url = try #require(URL(string: "https://\(host)/v1"))
        _ = try await TransportChain(api: url, transport: stub) { netrc }.send(APIRequest(.get, url))
        let expected = login.map { "Basic " + Data($0.utf8).base64EncodedString() }
        #expect(stub.requests[0].headerFields[.authorization] == expected)
        #expect(netrc.user(for: host) == login?.prefix { $0 != ":" }.description)
    }

    @Test func `A netrc login is sent only to the API's origin, and a request's own Authorization field is kept`()
        async throws
    {
        let stub = Stub(.status(.ok))
        let netrc = try Netrc("default login me password p")
        let chain = TransportChain(stub) { netrc }
        _ = try await chain.send(APIRequest(.get, "https://other.example.com/"))
        _ = try await chain.send(APIRequest(.get, apiURL, headerFields: [.authorization: "mine"]))
        #expect(stub.requests.map { $0.headerFields[.authorization] } == [nil, "mine"])
    }

    @Test(arguments: [
        (
            "machine a login b\n\npasswort c", 3,
            "a word is neither machine, default, login, password, account nor macdef"
        ),
        ("machine a login b password two words", 1, "a word is neither"),
        ("\nlogin a", 2, "login stands before any machine"), ("machine", 1, "machine has no value"),
        ("machine a\nlogin", 2, "login has no value"),
        ("machine a password \"open\nmore", 1, "a quoted word doesn't end"),
        ("machine a password \"open\\", 1, "a quoted word doesn't end"),
        ("machine a password \"b\nc\"\nx", 3, "a word is neither"), ("macdef x\na\n\nb", 4, "a word is neither"),
    ])
    func `A netrc error has its line and not the file's content`(
        text: String, line: Int, what: String
    ) {
        let error = #expect(throws: NetrcError.self) { try Netrc(text) }
        #expect(error?.line == line)
        #expect(error?.description.hasPrefix("line \(line) of .netrc: \(what)") == true)
    }

    @Test(arguments: ["", "\n# nothing\n", "macdef x", "macdef x\nlogin", "\r\n"])
    func `A netrc file may have no entries`(text: String) throws {
        #expect(try Netrc(text).user(for: "a") == nil)
    }

    @Test func `A missing netrc file is an error`() {
        let error = #expect(throws: NetrcError.self) {
            try Netrc(contentsOf: URL(filePath: "/nonexistent/.netrc"))
        }
        #expect(error?.description == ".netrc: the file can't be read" && error?.line == nil)
    }

    private static func setVariable(_ name: String, to file: URL?) {
        // The system copies both texts.
        _ = if let file { unsafe setenv(name, file.path, 1) } else { unsafe unsetenv(name) }
    }

    /// In processes of their own, since the environment is all of a process's.
    @Test func `The netrc file is named by NETRC, or is the one in the home folder`() async {
        await #expect(processExitsWith: .success) {
            Self.setVariable("NETRC", to: nil)
            try await withTemporaryFolder { folder in
                Self.setVariable("HOME", to: folder)
                #expect(try Netrc().user(for: "a") == nil)
                try Data("machine a login home".utf8).write(to: folder.appending(path: ".netrc"))
                #expect(try Netrc().user(for: "a") == "home")
                try Data("machine a login named".utf8).write(to: folder.appending(path: "other"))
                Self.setVariable("NETRC", to: folder.appending(path: "other"))
                #expect(try Netrc().user(for: "a") == "named")
                Self.setVariable("NETRC", to: folder.appending(path: "none"))
                #expect(throws: NetrcError.self) { try Netrc() }
            }
        }
    }

    @Test func `No description of a netrc file shows a password`() throws {
        let netrc = try Netrc("machine a login b password s3cr3t")
        var dumped = ""
        dump(netrc, to: &dumped)
        #expect(!"\(netrc) \(String(reflecting: netrc)) \(dumped)".contains("s3cr3t"))
    }
}
