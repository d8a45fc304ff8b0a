import Foundation
import HTTPTypes
import RestfulData
import RestfulDataTesting
import Testing

/// Recordings of real traffic, and their replay.
@MainActor @Suite struct RecordingTests {
    private let date = Date(timeIntervalSince1970: 1_800_000_000)

    private func recorded(
        _ rules: Redaction = .standard, _ body: (Store, API) async throws -> Void
    ) async throws -> Data {
        let server = try Notebook.server()
        let recorder = RecordingTransport(server, redacting: rules, now: { [date] in date })
        let api = API(server.baseURL, transport: recorder) { BearerToken("s3cret") }
        try await body(try Store(.temporary, models: Notebook.models, api: api), api)
        return recorder.har
    }

    private func story(_ store: Store) async throws -> [String] {
        let notes = try await Notebook.Note.fetchAll(in: store.main)
        notes[0].title = "B"
        try await notes[0].save()
        return try await Notebook.Note.fetchAll(in: store.main).map(\.title)
    }

    @Test func `A recording answers the same requests and reports new ones`() async throws {
        let har = try await recorded { store, _ in
            let titles = try await story(store)
            #expect(titles == ["B", "n2", "n3"])
        }
        let replay = try ReplayTransport(har: har, named: "notes.har")
        let api = API("http://127.0.0.1:1", transport: replay)
        let store = try Store(.temporary, models: Notebook.models, api: api)
        #expect(try await story(store) == ["B", "n2", "n3"])
        #expect(replay.unused == [])
        let error = await failure { _ = try await Notebook.Note.fetch(key: 9, in: store.main) }
        #expect(
            error?.lost
                == .other(
                    "the recording notes.har has no GET /notes/9; it has GET /notes; record it with "
                        + "RecordingTransport, or with RESTFULDATA_RECORD=1 where a test has the trait `.replay`"))
        let again = await failure { _ = try await Notebook.Note.fetchAll(policy: .reload, in: store.main) }
        #expect(
            again?.lost
                == .other(
                    "all replies of the recording notes.har to GET /notes were given; record it again with one more"))
    }

    @Test func `A recording is a readable file without secrets`() async throws {
        var rules = Redaction.standard
        rules.keys.insert("text")
        rules.rewrite = { $0.replacing("octocat", with: "somebody") }
        let har = try await recorded(rules) { _, api in
            let body = #"{"title": "by octocat", "text": "private", "auth": {"Token": "t0ken", "none": null}}"#
            _ = try await api.send(
                .post, "/notes", query: ["api_key": "k3y", "page": 1], body: .text(body, type: "application/json"))
        }
        let text = String(decoding: har, as: UTF8.self)
        for secret in ["s3cret", "private", "t0ken", "k3y", "octocat"] { #expect(!text.contains(secret), "\(secret)") }
        #expect(text.contains(#""url" : "https://api.example.com/notes?api_key=REDACTED&page=1""#))
        #expect(text.contains(#"\"Token\":\"REDACTED\""#) && text.contains(#"\"none\":null"#))
        #expect(text.contains("by somebody") && text.contains("2027-01-15T08:00:00.000Z"))
        #expect(text.contains(#""name" : "Content-Type""#) && !text.contains("Authorization"))
        // The replayed request has its secrets, and is the same.
        let replay = try ReplayTransport(har: har, redacting: rules)
        let body = #"{"title": "by octocat", "text": "other", "auth": {"Token": "other", "none": null}}"#
        let reply = try await API("https://api.example.com", transport: replay).send(
            .post, "/notes", query: ["api_key": "other", "page": 1], body: .text(body, type: "application/json"))
        #expect(reply.status == .created && replay.unused == [])
    }

    @Test func `A recorded body that isn't text is stored as Base64`() async throws {
        let bytes: [UInt8] = [0xFF, 0xD8, 0, 1]
        let stub = StubTransport { _ in StubTransport.Reply(status: 200, body: bytes) }
        let recorder = RecordingTransport(stub)
        let request = try APIRequest(.put, "https://api.example.com/a.jpg", body: .bytes(bytes, type: "image/jpeg"))
        _ = try await recorder.send(request)
        let replay = try ReplayTransport(har: recorder.har)
        #expect(try await replay.send(request).body == bytes)
    }

    @Test func `A recorded form contains no secrets`() async throws {
        let recorder = RecordingTransport(StubTransport { _ in .status(204) })
        let request = try APIRequest(
            .post, "https://api.example.com/login",
            body: .text(
                "user[name]=ada&user[password]=s3cret&token[0]=s3cret", type: "application/x-www-form-urlencoded"))
        _ = try await recorder.send(request)
        let text = String(decoding: recorder.har, as: UTF8.self)
        #expect(text.contains("user[name]=ada&user[password]=REDACTED&token[0]=REDACTED") && !text.contains("s3cret"))
        #expect(try await ReplayTransport(har: recorder.har).send(request).status == .noContent)
    }

    @Test func `Secrets in JSON lines and server-sent events stay out of a recording`() async throws {
        let texts = [
            "{\"id\": 1, \"token\": \"s3cret\"}\n{\"session\": {\"id\": \"s3cret\"}}\r\n{\"token\": \"s3cr",
            "event: login\r\ndata: {\"id\": 2, \"token\": \"s3cret\"}\r\n\r\ndata: {\"session\": [\"s3cret\"]}\n\n",
            "data: {\ndata:   \"Token\" : \"s3cret \\\" s3cret\",\ndata: \"code\": 53, \"key\": null }\n\n",
        ]
        for text in texts {
            let recorder = RecordingTransport(StubTransport { _ in .events(text) })
            let request = try APIRequest(.get, "https://api.example.com/events")
            _ = try await recorder.send(request)
            let reply = try await ReplayTransport(har: recorder.har).send(request)
            let kept = String(decoding: reply.body, as: UTF8.self)
            #expect(!kept.contains("s3cr") && !kept.contains("53") && kept.contains("REDACTED"), "\(kept)")
            #expect(kept.split(whereSeparator: \.isNewline).count == text.split(whereSeparator: \.isNewline).count)
        }
    }

    /// A transport that replies in pieces.
    private struct PieceTransport: Transport {
        func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
            var fields = HTTPFields()
            fields[.contentType] = "text/event-stream"
            var reply = APIResponse(HTTPResponse(status: .ok, headerFields: fields), to: request)
            let pieces = AsyncStream<[UInt8]> { continuation in
                for text in ["id: 1\nda", "ta: a\n\n", "data: b\n\n"] { continuation.yield(Array(text.utf8)) }
                continuation.finish()
            }
            reply.pieces = BodyPieces(pieces, to: request)
            return reply
        }
    }

    private func events(by transport: any Transport) async throws -> [String] {
        let api = API("https://api.example.com", transport: transport)
        var data: [String] = []
        for try await event in api.stream("/events", options: StreamOptions(reconnects: false)) {
            data.append(event.data)
        }
        return data
    }

    @Test func `A stream that comes in pieces is recorded, and replayed whole`() async throws {
        let recorder = RecordingTransport(PieceTransport())
        #expect(try await events(by: recorder) == ["a", "b"])
        let replay = try ReplayTransport(har: recorder.har)
        #expect(try await events(by: replay) == ["a", "b"])
        #expect(replay.unused == [])
    }

    @Test func `Text without JSON is recorded as it is`() async throws {
        let text = "a \"quoted\" word: {x}\r\nid: 1\rdata: [1, {\"id\": 2}]\n\n[broken\n"
        let recorder = RecordingTransport(StubTransport { _ in .events(text) })
        let request = try APIRequest(.get, "https://api.example.com/events")
        _ = try await recorder.send(request)
        let reply = try await ReplayTransport(har: recorder.har).send(request)
        #expect(String(decoding: reply.body, as: UTF8.self) == text)
    }

    @Test func `A recording of another tool is read, and a file that is none is refused`() async throws {
        let har = #"""
            {"log": {"version": "1.2", "creator": {"name": "Browser", "version": "9"}, "entries": [
              {"request": {"method": "GET", "url": "https://api.example.com/notes?page=1", "headers": []},
               "response": {"status": 200, "headers": [{"name": "content-encoding", "value": "br"}, {"name": "etag", "value": "\"a\""}],
                            "content": {"mimeType": "application/json", "text": "[]"}}}]}}
            """#
        let replay = try ReplayTransport(har: Data(har.utf8))
        let response = try await replay.send(try APIRequest(.get, "http://127.0.0.1/notes?page=1"))
        #expect(response.headerFields[.eTag] == "\"a\"" && response.headerFields[.contentEncoding] == nil)
        #expect(throws: ReplayTransport.RecordingError.self) { try ReplayTransport(har: Data("{}".utf8)) }
        let missing = URL(filePath: "/nowhere/notes.har")
        let error = #expect(throws: ReplayTransport.RecordingError.self) { try ReplayTransport(contentsOf: missing) }
        #expect("\(error as Any)".contains("the recording notes.har can't be read"))
    }

    @Test func `A recording of another tool is read with its cache, comments and empty bodies`() async throws {
        let har = #"""
            {"log": {"version": "1.2", "creator": {"name": "Browser", "version": "9"}, "entries": [
              {"request": {"method": "GET", "url": "https://api.example.com/notes", "headers": [],
                           "postData": {"mimeType": "", "text": ""}},
               "response": {"status": 200, "headers": [], "content": {"mimeType": "application/json", "text": "[]"}},
               "cache": {"afterRequest": {"lastAccess": "2027-01-15", "eTag": "a", "hitCount": 1}, "comment": "new"},
               "timings": {"send": 0, "wait": 1, "receive": -1, "comment": "fast"}}]}}
            """#
        let replay = try ReplayTransport(har: Data(har.utf8))
        #expect(replay.unused == ["GET /notes"])
        let response = try await replay.send(try APIRequest(.get, "https://api.example.com/notes"))
        #expect(response.body == Array("[]".utf8))
    }

    @Test func `A recording is written with its folder and read again`() async throws {
        let folder = URL(filePath: NSTemporaryDirectory()).appending(path: "Recordings-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let recorder = RecordingTransport(StubTransport { _ in .json("[]") })
        _ = try await recorder.send(try APIRequest(.get, "https://api.example.com/notes"))
        let file = folder.appending(path: "inner/notes.har")
        try recorder.write(to: file)
        #expect(try ReplayTransport(contentsOf: file).unused == ["GET /notes"])
    }

    @Test func `Secret parameters of links in header fields stay out of a recording`() async throws {
        var fields = HTTPFields()
        fields[.location] = "https://app.example.com/done?code=s3cret&state=1"
        if let link = HTTPField.Name("Link") {
            fields[link] = #"<https://api.example.com/notes?page=2&access_token=s3cret>; rel="next""#
        }
        let stub = StubTransport { [fields] _ in .json("{}", headerFields: fields) }
        let recorder = RecordingTransport(stub, redacting: .standard, now: { [date] in date })
        _ = try await API("https://api.example.com", transport: recorder).send(.get, "/notes")
        let text = String(decoding: recorder.har, as: UTF8.self)
        #expect(!text.contains("s3cret"))
        #expect(text.contains("code=REDACTED&state=1") && text.contains("page=2&access_token=REDACTED"))
    }

    @Test(arguments: [
        "accessToken", "refreshToken", "apiKey", "X-Amz-Signature", "newPassword", "password_confirmation",
    ])
    func `A secret stays out of a recording in any spelling of its name`(_ name: String) async throws {
        let recorder = RecordingTransport(StubTransport { _ in .json(#"{"\#(name)": "s3cret"}"#) })
        let body = RequestBody.text(#"{"\#(name)": "s3cret", "nextPageToken": "p2"}"#, type: "application/json")
        let request = try APIRequest(.post, "https://api.example.com/a?\(name)=s3cret&pageToken=p1", body: body)
        _ = try await recorder.send(request)
        let text = String(decoding: recorder.har, as: UTF8.self)
        #expect(!text.contains("s3cret"))
        #expect(text.contains("p1") && text.contains("p2"), "Replay needs the tokens of pages.")
    }

    @Test func `Secrets of URLs within bodies and fragments stay out of a recording`() async throws {
        let next = "https://api.example.com/notes?page=2&access%5Ftoken=s3cret"
        let body = #"{"paging": {"next": "\#(next)"}, "clone": "https://ada:s3cret@git.example.com/a.git"}"#
        var fields = HTTPFields()
        fields[.location] = "https://app.example.com/done#access_token=s3cret&state=1"
        let stub = StubTransport { [fields] _ in .json(body, headerFields: fields) }
        let recorder = RecordingTransport(stub)
        // The name of the parameter doesn't say that its value is a key.
        let api = API("https://api.example.com", transport: recorder) { APIKey("s3cret-k", in: .query("u")) }
        _ = try await api.send(.get, "/notes", query: ["q": "a+b"])
        let text = String(decoding: recorder.har, as: UTF8.self)
        #expect(!text.contains("s3cret"))
        #expect(text.contains("page=2&access%5Ftoken=REDACTED"))
        #expect(text.contains("https://REDACTED@git.example.com/a.git"))
        #expect(text.contains("#access_token=REDACTED&state=1") && text.contains("u=REDACTED"))
        #expect(text.contains("/notes?q=a%2Bb"), "The rest of the URL is recorded as it was sent.")
    }

    @Test func `A form with files is recorded without its secrets, and matches with another boundary`() async throws {
        func request(_ boundary: String, photo: Data) throws -> APIRequest {
            let parts: [MultipartPart] = [
                .field("name", "ada"), .field("user[password]", "s3cret"), .field("auth", #"{"token": "s3cret"}"#),
                .data("photo", photo, filename: "a.png"),
            ]
            return try APIRequest(
                .post, "https://api.example.com/users", body: .multipart(parts, boundary: boundary))
        }
        for photo in [Data("text".utf8), Data([0xFF, 0xD8, 0, 1])] {
            let recorder = RecordingTransport(StubTransport { _ in .status(204) })
            _ = try await recorder.send(try request("first-boundary", photo: photo))
            let har = try JSONDecoder().decode(JSONValue.self, from: recorder.har)
            let text = try #require(har["log"]?["entries"]?[0]?["request"]?["postData"]?["text"]?.string)
            let body = Data(base64Encoded: text).map { String(decoding: $0, as: UTF8.self) } ?? text
            #expect(!body.contains("s3cret") && body.contains("REDACTED") && body.contains("ada"))
            #expect(!String(decoding: recorder.har, as: UTF8.self).contains("first-boundary"))
            let replay = try ReplayTransport(har: recorder.har)
            let other = try request("second-boundary", photo: Data("other".utf8))
            await #expect(throws: TransportError.self) { try await replay.send(other) }
            #expect(try await replay.send(try request("second-boundary", photo: photo)).status == .noContent)
        }
    }

    @Test func `A compressed body is left out of a recording`() async throws {
        let recorder = RecordingTransport(StubTransport { _ in .status(204) })
        let body = RequestBody.text(#"{"password": "s3cret"}"#, type: "application/json").gzipped()
        let request = try APIRequest(.post, "https://api.example.com/login", body: body)
        _ = try await recorder.send(request)
        let text = String(decoding: recorder.har, as: UTF8.self)
        #expect(text.contains(#""text" : "REDACTED""#) && !text.contains("base64"))
        #expect(try await ReplayTransport(har: recorder.har).send(request).status == .noContent)
    }

    @Test func `Secrets of texts with JSON in them stay out of a recording`() async throws {
        let texts = [
            "data: {\"id\": 1, \"access_token\": \"s3cret\", \"key\": null}\n\n",
            "{\"token\": \"s3cret\\\"s3cret\"}\n{\"token\": 7531}\n", "{\"user\": {\"password\": \"s3cr",
        ]
        for body in texts {
            let stub = StubTransport { _ in StubTransport.Reply(status: 200, body: Array(body.utf8)) }
            let recorder = RecordingTransport(stub)
            _ = try await recorder.send(try APIRequest(.get, "https://api.example.com/events"))
            let text = String(decoding: recorder.har, as: UTF8.self)
            #expect(!text.contains("s3cr") && !text.contains("7531") && text.contains("REDACTED"))
        }
    }

    @Test func `Secret objects of cut and divided JSON stay out of a recording`() async throws {
        let texts = [
            (#"{"id": 1, "credentials": {"pin": "s3cr"#, #"{"id": 1, "credentials": "REDACTED""#),
            (#"{"codes": {"code": [{"a": "s3\"}]cret"}], "id": 1}, "#, #"{"codes": {"code": "REDACTED", "id": 1}, "#),
            (
                "data: {\"session\": {\ndata: \"id\": \"s3cret\"},\ndata: \"a\": {\"b\": 1}}\n\n",
                "data: {\"session\": \"REDACTED\",\ndata: \"a\": {\"b\": 1}}\n\n"
            ),
        ]
        for (text, kept) in texts {
            let recorder = RecordingTransport(StubTransport { _ in .events(text) })
            let request = try APIRequest(.get, "https://api.example.com/events")
            _ = try await recorder.send(request)
            let reply = try await ReplayTransport(har: recorder.har).send(request)
            #expect(String(decoding: reply.body, as: UTF8.self) == kept)
        }
    }

    @Test func `A request matches the recording of another tool, which has its secrets`() async throws {
        let har = #"""
            {"log": {"version": "1.2", "creator": {"name": "Browser", "version": "9"}, "entries": [
              {"request": {"method": "POST", "url": "https://api.example.com/a?q=1%2B2&access_token=old", "headers": [],
                           "postData": {"mimeType": "application/json", "text": "{\"password\":\"old\",\"a\":1}"}},
               "response": {"status": 200, "headers": [], "content": {"mimeType": "application/json", "text": "{}"}}}]}}
            """#
        let replay = try ReplayTransport(har: Data(har.utf8))
        #expect(replay.unused == [#"POST /a?q=1%2B2&access_token=REDACTED {"a":1,"password":"REDACTED"}"#])
        let body = RequestBody.text(#"{"password": "new", "a": 1}"#, type: "application/json")
        let other = try APIRequest(.post, "https://api.example.com/a?q=1+2&access_token=new", body: body)
        await #expect(throws: TransportError.self) { try await replay.send(other) }
        let same = try APIRequest(.post, "https://api.example.com/a?q=1%2B2&access_token=new", body: body)
        #expect(try await replay.send(same).status == .ok && replay.unused == [])
    }

    @Test func `A downloaded file is recorded, and replayed as a body`() async throws {
        struct Downloads: Transport {
            let file: URL
            func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
                var response = APIResponse(HTTPResponse(status: .ok), to: request)
                response.file = file
                return response
            }
        }
        let file = URL(filePath: NSTemporaryDirectory()).appending(path: "Download-\(UUID())")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("a,b\n".utf8).write(to: file)
        let recorder = RecordingTransport(Downloads(file: file))
        let request = try APIRequest(.get, "https://api.example.com/notes.csv")
        #expect(try await recorder.send(request).file == file)
        let response = try await ReplayTransport(har: recorder.har).send(request)
        #expect(String(decoding: response.body, as: UTF8.self) == "a,b\n")
    }

    @Test func `A recording has the target of a redirect, and the length of a file that was sent`() async throws {
        let file = URL(filePath: NSTemporaryDirectory()).appending(path: "Upload-\(UUID())")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("12345".utf8).write(to: file)
        let fields: HTTPFields = [.location: "https://api.example.com/files/1"]
        let recorder = RecordingTransport(StubTransport { _ in .status(302, headerFields: fields) })
        _ = try await recorder.send(try APIRequest(.put, "https://api.example.com/files", body: .file(file)))
        let har = try JSONDecoder().decode(JSONValue.self, from: recorder.har)
        let entry = try #require(har["log"]?["entries"]?[0])
        #expect(entry["response"]?["redirectURL"]?.string == "https://api.example.com/files/1")
        #expect(entry["request"]?["bodySize"]?.integer == 5)
    }

    @Test func `Secrets of XML stay out of a recording`() async throws {
        let xml = """
            <?xml version="1.0"?>
            <user id="7" api-key="s3cret"><name>ada</name><a:Password kind="x">s3cret</a:Password>
            <token><![CDATA[s3<cret]]></token></user>
            """
        let stub = StubTransport { _ in StubTransport.Reply(status: 200, body: Array(xml.utf8)) }
        let recorder = RecordingTransport(stub)
        _ = try await recorder.send(try APIRequest(.get, "https://api.example.com/user"))
        let replay = try ReplayTransport(har: recorder.har)
        let reply = try await replay.send(try APIRequest(.get, "https://api.example.com/user"))
        #expect(
            String(decoding: reply.body, as: UTF8.self) == """
                <?xml version="1.0"?>
                <user id="7" api-key="REDACTED"><name>ada</name><a:Password kind="x">REDACTED</a:Password>
                <token>REDACTED</token></user>
                """)
    }

    @Test func `Secret elements with others in them, and cut ones, stay out of a recording`() async throws {
        let xml =
            "<user><credentials><name>ada</name><pin>s3cret</pin></credentials><token/>"
            + "<a id='7' api-key = 's3cret'/><token><value>s3cr"
        let stub = StubTransport { _ in StubTransport.Reply(status: 200, body: Array(xml.utf8)) }
        let recorder = RecordingTransport(stub)
        _ = try await recorder.send(try APIRequest(.get, "https://api.example.com/user"))
        let replay = try ReplayTransport(har: recorder.har)
        let reply = try await replay.send(try APIRequest(.get, "https://api.example.com/user"))
        #expect(
            String(decoding: reply.body, as: UTF8.self)
                == "<user><credentials>REDACTED</credentials><token/><a id='7' api-key = \"REDACTED\"/><token>REDACTED")
    }
}
