import Foundation
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// Service files with mistakes, each of which is reported with its line; and the names of methods.
@Suite struct ServiceFileTests {
    private let files = ServiceFiles()

    @Test func `All mistakes of a service's property list are reported with lines and suggestions`() async throws {
        let list = ServiceFiles.propertyList(
            """
            <!-- <key>comment</key> -->
            <key>first</key>
            <dict>
                <key>request</key>
                <dict>
                    <key>pth</key><string>/a</string>
                </dict>
            </dict>
            <key>second</key>
            <dict>
                <key>request</key>
                <dict>
                    <key>path</key><string>/a/../b</string>
                    <key>method</key><string>GTE</string>
                    <key>body</key><string>%0</string>
                </dict>
                <key>serialization</key>
                <dict><key>serializator</key><string>Mine</string></dict>
            </dict>
            """)
        let problems = try await files.problems(list)
        #expect(
            problems == [
                "line 10, first.request: \"pth\" is no key of a request; did you mean \"path\"?",
                "line 8, first.request: \"path\" is missing",
                "line 17, second.request.path: a path can't lead outside by a \".\" or \"..\" segment",
                "line 18, second.request.method: \"GTE\" is no HTTP method; did you mean \"GET\"?",
                "line 22, second.serialization.serializator: there is no reader \"Mine\"; give it as readers: [\"Mine\": …]",
            ])
    }

    @Test(arguments: [
        (
            #"{"a": {"request": {"path": "a"}}}"#,
            "line 1, a.request.path: a path begins with a slash, or is an absolute http or https URL"
        ),
        (
            #"{"a": {"request": {"path": "/%x"}}}"#,
            "\"%x\" is no indicator, which is a percent sign and one digit; write %% for a percent sign"
        ),
        (#"{"a": {"request": {"path": "/%"}}}"#, "it ends with a percent sign; write %% for one"),
        (#"{"a": {"request": {"path": "/%0[x"}}}"#, "the bracket behind %0 is not closed"),
        (#"{"a": {"request": {"path": "/%0[x..y]"}}}"#, "the brackets behind %0 name no property"),
        (#"{"a": {"request": {"path": "/%1"}}}"#, "it uses %1, and not %0"),
        (
            #"{"aWithB:completionBlock:": {"request": {"path": "/%1"}}}"#,
            "it uses %1, and \"aWithB:completionBlock:\" has the arguments b"
        ),
        (
            #"{"a": {"request": {"path": "/a", "method": "POST", "body": "%0", "files": "%1"}}}"#,
            "it has a body, and parameters or files"
        ),
        (#"{"a": {"request": {"path": "/a", "body": "%0"}}}"#, "a GET has no body"),
        (#"{"a": {"request": {"path": "/a", "header": {"a b": "x"}}}}"#, "\"a b\" is no name of a header field"),
        (#"{"a": {"request": {"path": "/a", "header": "x"}}}"#, "it is neither an object nor an indicator of one"),
        (#"{"a": {"request": {"path": "/a", "sessionType": "Big"}}}"#, "\"Big\" is no session type"),
        (#"{"a": {"request": {"path": 7}}}"#, "line 1, a.request.path: it is no text"),
        (#"{"a": {"request": []}}"#, "a request is an object with the keys path, method,"),
        (#"{"a": {"reqest": {"path": "/a"}}}"#, "\"reqest\" is no key of a method; did you mean \"request\"?"),
        (#"{"a": 3}"#, "line 1, a: a method is an object"),
        (
            #"{"describe": {"request": {"path": "/a"}}}"#,
            "\"describe\" is a member of WebService already; rename the method"
        ),
        (#"{"a-b": {"request": {"path": "/a"}}}"#, "\"a-b\" is no name of a Swift method"),
        (
            "{\"a\": {\"request\": {\"path\": \"/a\"}},\n \"a\": {\"request\": {\"path\": \"/b\"}}}",
            "line 2: \"a\" is there twice; only one of them would count"
        ),
        (
            #"{"aWithB:": {"request": {"path": "/%0"}}, "aWithB:block:": {"request": {"path": "/%0"}}}"#,
            "it is called aWithB in Swift, and so is \"aWithB:block:\"; rename one"
        ),
    ])
    func `A mistake in a service file is reported`(_ text: String, _ message: String) async throws {
        let problems = try await files.problems(text)
        #expect(problems.contains { $0.contains(message) }, "\(problems)")
    }

    @Test func `A duplicate key of a property list is reported with the second one's line`() async throws {
        let method = "<key>a</key>\n<dict><key>request</key><dict><key>path</key><string>/a</string></dict></dict>"
        let problems = try await files.problems(ServiceFiles.propertyList(method + "\n" + method))
        #expect(problems == ["line 7: \"a\" is there twice; only one of them would count"])
    }

    @Test(arguments: [
        ("Missing.plist", nil, "there is no such file in"), ("Broken.plist", "<plist><dict>", "it is no property list"),
        ("Broken.json", "{", "line 1"),
    ])
    func `An unreadable service file is reported by its name`(_ name: String, _ text: String?, _ reason: String)
        async throws
    {
        try await withTemporaryFolder { folder in
            let url = folder.appending(path: name)
            if let text { try Data(text.utf8).write(to: url) }
            let error = #expect(throws: WebServiceError.self) {
                name.hasSuffix("json")
                    ? try WebService(jsonURL: url, api: files.api) : try WebService(plistURL: url, api: files.api)
            }
            #expect("\(try #require(error))".hasPrefix("The service file \(name) can't be read: "))
            #expect("\(try #require(error))".lowercased().contains(reason))
        }
    }

    @Test func `A binary property list is read, and its mistakes are reported without lines`() async throws {
        let list: [String: Any] = ["all": ["request": ["path": "/authors", "pth": "x"]]]
        let data = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
        try await withTemporaryFolder { folder in
            let url = folder.appending(path: "Binary.plist")
            try data.write(to: url)
            let error = #expect(throws: WebServiceError.self) { try WebService(plistURL: url, api: files.api) }
            guard case .invalid("Binary.plist", let problems)? = error else {
                Testing.Issue.record("\(String(describing: error))")
                return
            }
            #expect(
                problems.map(\.description) == ["all.request: \"pth\" is no key of a request; did you mean \"path\"?"])
        }
    }

    @Test func `A selector's method is called by its first word, or by more if ambiguous`() async throws {
        let request = #"{"request": {"path": "/%0"}}"#
        let service = try await files.service(
            """
            {"searchWithZIPCode:completionBlock:": \(request), "searchByName:completionBlock:": \(request),
             "getUser:block:": \(request), "plain": \(request), "getAllWithCompletionBlock:": {"request": {"path": "/all"}},
             "issueForNumber:inState:": {"request": {"path": "/%0/%1"}, "about": "One issue."}}
            """)
        #expect(
            service.describe() == """
                all()                       GET /all
                issue(number, inState)      GET /%0/%1
                plain(%0)                   GET /%0
                searchByName(name)          GET /%0
                searchWithZIPCode(zipCode)  GET /%0
                user(user)                  GET /%0
                """)
        try await service["getUser:block:"]("ada")
        try await service.getUser("ada")
        try await service.issueForNumber(7, "open")
        #expect(files.stub.log == ["GET /v1/ada", "GET /v1/ada", "GET /v1/7/open"])
    }

    @Test func `A preposition within a word doesn't end the name of a selector`() async throws {
        let service = try await files.service(
            #"{"getForecastForCity:completionBlock:": {"request": {"path": "/forecasts/%0"}}}"#)
        #expect(service.describe() == "forecast(city)  GET /forecasts/%0")
    }

    @Test func `Methods of the same name are reported in the order of their names`() async throws {
        let request = #"{"request": {"path": "/x"}}"#
        let names = ["a", "b", "c", "d", "e", "f"]
        let methods = names.map { "\"\($0)\": \(request), \"\($0):\": \(request)" }.joined(separator: ", ")
        let problems = try await files.problems("{\(methods)}")
        #expect(
            problems == names.map { "line 1, \($0): it is called \($0) in Swift, and so is \"\($0):\"; rename one" })
    }

    @Test func `Random texts as service files never trap`() async throws {
        var random = SeededGenerator(seed: 7)
        let pieces = [
            "{", "}", "[", "]", "\"a\"", ":", ",", "\"request\"", "\"path\"", "\"/%0\"", "\"%\"", "<dict>", "</dict>",
            "<key>a</key>", "<!--", "\n", "%9[", "1",
        ]
        for _ in 0..<300 {
            let text = (0..<Int.random(in: 1...12, using: &random)).map { _ in pieces.randomElement(using: &random)! }
                .joined()
            for text in [text, "{" + text, ServiceFiles.propertyList(text)] {
                do { _ = try await files.service(text) } catch is WebServiceError {}
            }
        }
    }
}
