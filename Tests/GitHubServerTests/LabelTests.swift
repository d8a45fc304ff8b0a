import Testing

@testable import GitHubServer

@Suite struct LabelTests {
    @Test func `A label is created, edited and deleted`() async throws {
        try await withServer { client in
            let created = try await client.send(
                "POST", hello + "/labels", #"{"name":"needs design/ui","color":"BADA55","description":"Ask Mona"}"#)
            #expect(created.status == 201)
            let path = hello + "/labels/needs%20design%2Fui"
            #expect(created.headers["location"] == client.server.baseURL + path)
            #expect(created.json["url"] == .string(client.server.baseURL + path))
            #expect(created.json["color"] == "bada55")
            #expect(created.json["default"] == false)
            #expect(try await client.get(path).text == created.text)

            _ = try await client.send("POST", hello + "/issues/1/labels", #"{"labels":["needs design/ui"]}"#)
            let edited = try await client.send(
                "PATCH", path, #"{"new_name":"designed","name":"ignored","description":null}"#)
            #expect(edited.status == 200)
            #expect(edited.json["name"] == "designed")
            #expect(edited.json["id"] == created.json["id"])
            #expect(edited.json["description"] == .null)
            #expect(try await client.get(path).status == 404)
            #expect(try await client.get(hello + "/issues/1").json["labels"]?.all("name") == ["bug", "designed"])

            #expect(try await client.send("DELETE", hello + "/labels/designed").status == 204)
            #expect(try await client.send("DELETE", hello + "/labels/designed").status == 404)
            #expect(try await client.get(hello + "/issues/1").json["labels"]?.all("name") == ["bug"])
        }
    }

    @Test(arguments: [
        ("POST", "", #"{}"#, "name", "missing_field"),
        ("POST", "", #"{"name":"BUG"}"#, "name", "already_exists"),
        ("POST", "", ##"{"name":"x","color":"#ffffff"}"##, "color", "invalid"),
        ("POST", "", #"{"name":"x","color":"red"}"#, "color", "invalid"),
        ("PATCH", "/bug", #"{"new_name":"question"}"#, "name", "already_exists"),
    ])
    func `The error about an invalid label names the field`(
        method: String, path: String, body: String, field: String, code: String
    )
        async throws
    {
        try await withServer { client in
            let answer = try await client.send(method, hello + "/labels" + path, body)
            #expect(answer.status == 422)
            #expect(answer.json["message"] == "Validation Failed")
            #expect(
                answer.json["errors"]?[0]?.sorted.text
                    == #"{"code":"\#(code)","field":"\#(field)","resource":"Label"}"#)
        }
    }

    @Test func `A label's description that is too long is rejected`() async throws {
        try await withServer { client in
            let text = String(repeating: "ä", count: 101)
            let answer = try await client.send("POST", hello + "/labels", #"{"name":"x","description":"\#(text)"}"#)
            #expect(answer.json["errors"]?[0]?["message"] == "description is too long (maximum is 100 characters)")
        }
    }

    @Test func `A label's name may change its letter case`() async throws {
        try await withServer { client async throws in
            #expect(try await client.send("PATCH", hello + "/labels/bug", #"{"new_name":"Bug"}"#).json["name"] == "Bug")
        }
    }

    @Test func `A repository has GitHub's nine labels, and one of them four more`() async throws {
        try await withServer { client in
            let labels = try await client.get(hello + "/labels").json
            #expect(labels.elements.count == 13)
            #expect(labels.elements.count { $0["default"] == true } == 9)
            let others = try await client.get("/repos/octocat/amber-anchor/labels").json
            #expect(others.elements.count == 9)
        }
    }

    @Test func `Labels are added to an issue and removed`() async throws {
        try await withServer { client in
            let path = hello + "/issues/1/labels"
            #expect(try await client.get(path).json.all("name") == ["bug"])
            let added = try await client.send("POST", path, #"["c++","bug","area/networking","brand new"]"#)
            #expect(added.status == 200)
            #expect(added.json.all("name") == ["bug", "c++", "area/networking", "brand new"])
            #expect(try await client.get(hello + "/labels/brand%20new").status == 200)
            let removed = try await client.send("DELETE", path + "/area%2Fnetworking")
            #expect(removed.status == 200)
            #expect(removed.json.all("name") == ["bug", "c++", "brand new"])
            let missing = try await client.send("DELETE", path + "/area%2Fnetworking")
            #expect(missing.status == 404)
            #expect(missing.json["message"] == "Label does not exist")
            let replaced = try await client.send("PUT", path, #"{"labels":[{"name":"question"},"bug"]}"#)
            #expect(replaced.json.all("name") == ["question", "bug"])
            #expect(try await client.send("DELETE", path).status == 204)
            #expect(try await client.get(path).text == "[]")
            #expect(try await client.get(hello + "/issues/1").json["updated_at"] == "2026-01-01T00:00:04Z")
        }
    }

    @Test(arguments: [(#"{"labels":"bug"}"#, 422), (#"[7]"#, 422), (#"{"labels":[""]}"#, 422), (#"nonsense"#, 400)])
    func `Malformed lists of labels are rejected`(_ body: String, _ status: Int) async throws {
        try await withServer { client async throws in
            #expect(try await client.send("POST", hello + "/issues/1/labels", body).status == status)
        }
    }
}
