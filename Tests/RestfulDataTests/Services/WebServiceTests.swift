import Foundation
import HTTPTypes
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// Calls of the methods that a file describes.
@MainActor @Suite struct WebServiceTests {
    private struct Limits: Codable, Equatable { var left: Int }

    // MARK: Nemo Connect's own examples

    @Test func `A service downloads an image to a file with progress`() async throws {
        let png = [UInt8](repeating: 0x89, count: 100_000)
        try await withWebServer { line, _ in
            line == "GET /images/cat%2F1.png" ? .init(status: 200, body: png) : .status(404)
        } _: { base in
            let list = ServiceFiles.propertyList(
                """
                <key>downloadImageWithName:completionBlock:progressBlock:</key>
                <dict>
                    <key>request</key>
                    <dict><key>path</key><string>/images/%0</string><key>sessionType</key><string>DownloadTask</string></dict>
                </dict>
                """)
            try await withTemporaryFolder { folder in
                let file = folder.appending(path: "NCWebService+Image.plist")
                try Data(list.utf8).write(to: file)
                let seen = Box(0)
                let images = try WebService(plistURL: file, api: API(base))
                let url = try await images.downloadImage("cat/1.png", to: folder.appending(path: "cat.png")) {
                    seen.value = $0.completed
                }
                #expect([UInt8](try Data(contentsOf: url)) == png && seen.value == png.count)
            }
        }
    }

    @Test func `A service sends a search with Basic authentication and an argument in the query`() async throws {
        try await withWebServer { line, fields in
            #expect(fields["authorization"] == "Basic dTpw")
            return line == "GET /pharmacies?zip=10115%20%26%20x&lang=de" ? .json(#"[{"id": 1}]"#) : .status(404)
        } _: { base in
            let list = ServiceFiles.propertyList(
                """
                <key>searchWithZIPCode:completionBlock:</key>
                <dict>
                    <key>request</key>
                    <dict><key>path</key><string>/pharmacies?zip=%0&amp;lang=de</string><key>method</key><string>GET</string></dict>
                </dict>
                """)
            try await withTemporaryFolder { folder in
                let file = folder.appending(path: "NCWebService+PharmacySearch.plist")
                try Data(list.utf8).write(to: file)
                let api = API(base) { BasicAuthentication(user: "u", password: "p") }
                let pharmacies = try WebService(plistURL: file, api: api)
                let found: JSONValue = try await pharmacies.search("10115 & x")
                #expect(found == [["id": 1]])
            }
        }
    }

    @Test func `A service returns users as objects of a context`() async throws {
        let files = ServiceFiles(StubTransport(["GET /v1/authors": .json(#"[{"id": 2, "name": "Ada"}, {"id": 1}]"#)]))
        let users = try await files.service(
            ServiceFiles.propertyList(
                """
                <key>getUsersListWithCompletionBlock:</key>
                <dict>
                    <key>request</key>
                    <dict><key>path</key><string>/authors</string></dict>
                    <key>serialization</key>
                    <dict>
                        <key>serializator</key><string>NCJSONSerializer</string>
                        <key>serializedObject</key><string>Author</string>
                    </dict>
                </dict>
                """))
        let store = try Store(.temporary, models: Blog.models, api: files.api)
        let authors: [Author] = try await users.usersList(in: store.main)
        #expect(authors.map(\.identifier) == [2, 1] && authors[0].name == "Ada")
    }

    // MARK: Requests

    @Test func `An indicator reads a property of a model, of JSON or of an Encodable value`() async throws {
        let files = ServiceFiles()
        let service = try await files.service(
            #"""
            {"show": {"request": {
                "path": "/authors/%0/%0[name]/%1[owner.login]/%2[left]", "header": {"X-Author": "a-%0[name]"}}}}
            """#)
        let store = try Store(.temporary, models: Blog.models, api: files.api)
        let author = try await store.imported(Author.self, #"{"id": 7, "name": "Ada L"}"#)
        let owner: JSONValue = ["owner": ["login": "o/1"]]
        try await service.show(author, owner, Limits(left: 3))
        #expect(files.stub.log == ["GET /v1/authors/7/Ada%20L/o%2F1/3"])
        #expect(files.stub.requests[0].headerFields[HTTPField.Name("X-Author")!] == "a-Ada L")
    }

    @Test func `An indicator of a model's property follows links`() async throws {
        let files = ServiceFiles()
        let service = try await files.service(#"{"posts": {"request": {"path": "/of/%0[author.name]/%0[author]"}}}"#)
        let store = try Store(.temporary, models: Blog.models, api: files.api)
        let post = try await store.imported(Post.self, #"{"id": 5, "author": {"id": 7, "name": "Ada"}}"#)
        try await service.posts(post)
        #expect(files.stub.log == ["GET /v1/of/Ada/7"])
    }

    @Test(arguments: [
        (nil, #"q=a%20b&tags[]=x&tags[]=y"#, "application/x-www-form-urlencoded"),
        ("application/json", #"{"q":"a b","tags":["x","y"]}"#, "application/json"),
    ])
    func `Parameters are the query of a GET, and the form or JSON of a POST`(
        _ type: String?, _ body: String, _ sentType: String
    ) async throws {
        let files = ServiceFiles()
        let line = type.map { #", "contentType": "\#($0)""# } ?? ""
        let service = try await files.service(
            #"""
            {"find": {"request": {"path": "/find", "parameters": {"q": "%0", "tags": "%1", "left out": "%2"}}},
             "send": {"request": {"path": "/find", "method": "POST", "parameters": {"q": "%0", "tags": "%1"}\#(line)}}}
            """#)
        try await service.find("a b", ["x", "y"], nil)
        try await service.send("a b", ["x", "y"])
        #expect(files.stub.log[0] == "GET /v1/find?q=a%20b&tags%5B%5D=x&tags%5B%5D=y")
        let sent = files.stub.log[1].replacing("%5B", with: "[").replacing("%5D", with: "]").replacing("+", with: "%20")
        #expect(sent == "POST /v1/find \(body)")
        #expect(files.stub.requests[1].headerFields[.contentType] == sentType)
    }

    @Test func `Parameters and headers can be dictionaries passed to the call`() async throws {
        let files = ServiceFiles()
        let service = try await files.service(
            #"{"send": {"request": {"path": "/x", "method": "put", "parameters": "%0", "header": "%1"}}}"#)
        try await service.send(["a": 1, "b": 2], ["X-Trace": "t1"])
        #expect(files.stub.log == ["PUT /v1/x a=1&b=2"])
        #expect(files.stub.requests[0].headerFields[HTTPField.Name("X-Trace")!] == "t1")
    }

    @Test func `A method's body can be data, a file, text, a model, or JSON with arguments`() async throws {
        let files = ServiceFiles()
        let service = try await files.service(
            #"""
            {"put": {"request": {"path": "/x", "method": "PUT", "body": "%0"}},
             "png": {"request": {"path": "/x", "method": "PUT", "body": "%0", "contentType": "image/png"}},
             "add": {"request": {"path": "/x", "method": "POST", "body": {"by": "%0[name]", "n": ["%1", 2, true]}}}}
            """#)
        let store = try Store(.temporary, models: Blog.models, api: files.api)
        let author = try await store.imported(Author.self, #"{"id": 7, "name": "Ada"}"#)
        try await service.put(Data("abc".utf8))
        try await service.png(Data("abc".utf8))
        try await service.put("text")
        try await service.put(Limits(left: 1))
        try await service.put(author)
        try await service.add(author, 1.5)
        #expect(
            files.stub.log == [
                "PUT /v1/x abc", "PUT /v1/x abc", "PUT /v1/x text", #"PUT /v1/x {"left":1}"#,
                #"PUT /v1/x {"id":7,"name":"Ada"}"#, #"POST /v1/x {"by":"Ada","n":[1.5,2,true]}"#,
            ])
        let types = files.stub.requests.map { $0.headerFields[.contentType] ?? "" }
        #expect(
            types == [
                "application/octet-stream", "image/png", "text/plain; charset=utf-8", "application/json",
                "application/json", "application/json",
            ])
    }

    private enum Priority: Int, RouteValueConvertible { case high = 3 }

    @Test func `Arguments are written in JSON as attributes of their types`() async throws {
        let stub = StubTransport { _ in .json("{}") }
        let api = API("https://api.example.com", values: ValueFormats(dates: .epochSeconds), transport: stub)
        let body = #"{"p": "%0", "at": "%1", "on": "%2"}"#
        let service = try WebService(
            json: #"{"add": {"request": {"path": "/x/%0", "method": "POST", "body": \#(body)}}}"#, api: api)
        try await service.add(Priority.high, Date(timeIntervalSince1970: 7), true)
        #expect(stub.log == [#"POST /x/3 {"at":7,"on":true,"p":3}"#])
    }

    @Test func `Data without an indicator is the body of a selector's method`() async throws {
        let files = ServiceFiles()
        let service = try await files.service(
            #"""
            {"uploadImageWithName:data:completionBlock:progressBlock:":
                {"request": {"path": "/images/%0", "method": "PUT", "sessionType": "Upload"}}}
            """#)
        try await service.uploadImage("cat.png", Data("png".utf8))
        #expect(files.stub.log == ["PUT /v1/images/cat.png png"])
        #expect(service.describe() == "uploadImage(name, data)  PUT /images/%0")
    }

    @Test func `Files and parameters are sent as a multipart form`() async throws {
        let files = ServiceFiles()
        let service = try await files.service(
            #"""
            {"upload": {"request": {"path": "/up", "method": "POST", "parameters": {"title": "%0"},
                                    "files": {"photo": "%1", "notes": ["%2"]}}}}
            """#)
        try await withTemporaryFolder { folder in
            let photo = folder.appending(path: "a.png")
            try Data("PNG".utf8).write(to: photo)
            try await service.upload("Sunset", photo, [MultipartPart.field("extra", "e")])
        }
        let request = files.stub.requests[0]
        let parts = RequestBody.multipart([
            .field("title", "Sunset"), .field("extra", "e"), .file("photo", URL(filePath: "/tmp/a.png")),
        ])
        #expect(request.headerFields[.contentType]?.hasPrefix("multipart/form-data; boundary=") == true)
        #expect(request.body?.contentType?.count == parts.contentType?.count && request.body?.bytes == nil)
    }

    @Test func `A form has lists as the API's conventions write them`() async throws {
        let stub = StubTransport { _ in .json("{}") }
        let service = try WebService(
            json: #"{"pay": {"request": {"path": "/pay", "method": "POST", "parameters": {"items": "%0"}}}}"#,
            api: API("https://api.example.com", conventions: .stripe, transport: stub))
        try await service.pay(["a", "b"])
        #expect(stub.log == ["POST /pay items%5B0%5D=a&items%5B1%5D=b"])
    }

    @Test func `A method can omit the API's shared headers`() async throws {
        let files = ServiceFiles()
        files.api.headers[HTTPField.Name("SL-Sport")!] = "Hunting"
        let service = try await files.service(
            ServiceFiles.propertyList(
                """
                <key>a</key><dict><key>request</key><dict><key>path</key><string>/a</string></dict></dict>
                <key>b</key><dict><key>request</key><dict><key>path</key><string>/b</string>
                    <key>header</key><dict><key>excludeSharedHeader</key><true/></dict></dict></dict>
                """))
        try await service.a()
        try await service.b()
        #expect(files.stub.requests.map { $0.headerFields[HTTPField.Name("SL-Sport")!] } == ["Hunting", nil])
    }

    @Test func `A call's settings override the service file's`() async throws {
        let files = ServiceFiles()
        let service = try await files.service(#"{"a": {"request": {"path": "/a", "header": {"Accept": "text/x"}}}}"#)
        try await service.a {
            $0.headers[.accept] = "text/y"
            $0.query["v"] = 2
            $0.timeout = .seconds(5)
        }
        #expect(files.stub.log == ["GET /v1/a?v=2"])
        #expect(
            files.stub.requests[0].headerFields[.accept] == "text/y" && files.stub.requests[0].timeout == .seconds(5))
    }

    // MARK: Results

    @Test func `A reply is returned as the type that the caller declares`() async throws {
        let files = ServiceFiles(StubTransport { _ in .json(#"{"left": 4}"#) })
        let service = try await files.service(#"{"limits": {"request": {"path": "/limits"}}}"#)
        let data: Data = try await service.limits()
        let text: String = try await service.limits()
        let json: JSONValue = try await service.limits()
        let value: Limits = try await service.limits()
        let response = try await service.limits()
        #expect(String(decoding: data, as: UTF8.self) == text && text == #"{"left": 4}"#)
        #expect(json == ["left": 4] && value == Limits(left: 4) && response.status == .ok)
    }

    @Test func `A POST's reply is returned as an object, a list of objects or a response type`() async throws {
        let files = ServiceFiles(
            StubTransport([
                "POST /v1/one": .json(#"{"id": 1, "name": "Ada"}"#), "POST /v1/list": .json(#"[{"id": 1}, {"id": 2}]"#),
                "POST /v1/none": .status(204),
            ]))
        let service = try await files.service(
            #"""
            {"one": {"request": {"path": "/one", "method": "POST"}}, "list": {"request": {"path": "/list", "method": "POST"}},
             "none": {"request": {"path": "/none", "method": "POST"}}}
            """#)
        let store = try Store(.temporary, models: Blog.models, api: files.api)
        let one: Author = try await service.one(in: store.main)
        let list: [Author] = try await service.list(in: store.main)
        let none: [Author] = try await service.none(in: store.main)
        #expect(one.name == "Ada" && list.count == 2 && list[0] === one && none.isEmpty)
        let error = await failure { let _: Author = try await service.none(in: store.main) }
        guard case .noObject(model: "Author", _, _)? = error else {
            Testing.Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `A custom reader turns a method's replies into JSON`() async throws {
        let files = ServiceFiles(StubTransport { _ in .json(#"{"data": [{"id": 1}]}"#) })
        let text = #"{"all": {"request": {"path": "/authors"}, "serialization": {"serializator": "Wrapped"}}}"#
        let service = try await files.service(text, readers: ["Wrapped": ReplyReader { json in json["data"] ?? .null }])
        let store = try Store(.temporary, models: Blog.models, api: files.api)
        let authors: [Author] = try await service.all(in: store.main)
        #expect(authors.map(\.identifier) == [1])
    }

    // MARK: Wrong calls

    @Test func `A wrong call throws with the method's signature and sends nothing`() async throws {
        let files = ServiceFiles()
        let service = try await files.service(
            #"""
            {"find": {"request": {"path": "/find/%0", "parameters": {"q": "%1"}}},
             "put": {"request": {"path": "/x", "method": "PUT", "files": "%0", "header": {"X-A": "%1"}}}}
            """#)
        let calls: [(String, () async throws -> Void)] = [
            ("find(%0, q) was called wrongly: it takes 2 arguments, and one was given", { try await service.find(1) }),
            ("find(%0, q) was called wrongly: %0 has no value for the path", { try await service.find(nil, 1) }),
            (
                "find(%0, q) was called wrongly: %0 is to be a text, and data was given",
                { try await service.find(Data(), 1) }
            ),
            (
                "put(%0, X-A) was called wrongly: %0 is to be a file, data, or parts of a form",
                { try await service.put(1, 2) }
            ),
            (
                "put(%0, X-A) was called wrongly: the header field X-A can't have this value",
                { try await service.put(nil, "a\nb") }
            ),
            ("a Box<Int> is no value, model, data, file or Encodable value", { try await service.find(Box(1), 1) }),
            (
                "The service has no method \"fnd\"; did you mean \"find\"? It has find(%0, q), put(%0, X-A).",
                { try await service.fnd() }
            ),
        ]
        for (message, call) in calls {
            let error = await failure(call)
            #expect("\(String(describing: error))".contains(message), "\(String(describing: error))")
        }
        #expect(files.stub.log.isEmpty)
    }

    @Test func `An argument can't lead to another path`() async throws {
        let files = ServiceFiles()
        let service = try await files.service(#"{"find": {"request": {"path": "/find/%0/x"}}}"#)
        let error = await failure { try await service.find("..") }
        guard case .route(.template(.unsafePath))? = error else {
            Testing.Issue.record("\(String(describing: error))")
            return
        }
        #expect(files.stub.log.isEmpty)
    }

    @Test func `A method refuses a store with another API`() async throws {
        let files = ServiceFiles()
        let service = try await files.service(#"{"all": {"request": {"path": "/authors"}}}"#)
        let store = try Store(
            .temporary, models: Blog.models, api: API("https://other.example.com", transport: files.stub))
        let error = await failure { let _: [Author] = try await service.all(in: store.main) }
        guard case .service(.otherAPI)? = error else {
            Testing.Issue.record("\(String(describing: error))")
            return
        }
        #expect(files.stub.log.isEmpty)
    }
}
