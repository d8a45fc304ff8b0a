import Foundation
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

@Model("/users")
final class Patient {
    var id: Int?
    var name = ""
}

struct Pharmacy: Codable, Sendable, Equatable { var name: String }
struct Receipt: Codable, Sendable, Equatable { var number: Int }

/// The functions generated from a service file (`Generated/ClinicService.swift`) do as the file says.
@MainActor @Suite struct GeneratedServiceTests {
    private func service(_ replies: [String: StubTransport.Reply]) throws -> (ClinicService, StubTransport, Store) {
        let stub = StubTransport(replies)
        let api = API("https://api.example.com", transport: stub)
        return (try ClinicService(api: api), stub, try Store(.temporary, models: [Patient.self], api: api))
    }

    @Test func `A generated service returns objects, decoded values, responses and files`() async throws {
        let (clinic, stub, store) = try service([
            "GET /users": .json(#"[{"id": 1, "name": "Ada"}, {"id": 2}]"#),
            "GET /pharmacies?zip=53111&radius=5": .json(#"[{"name": "Rose"}]"#),
            "PATCH /users/1": .json(#"{"number": 7}"#),
            "GET /ping": .json(#"{"ok": true}"#),
            "GET /images/cat.png": .json("PNG"),
            "POST /imports": .status(204),
        ])
        let patients: [Patient] = try await clinic.usersList(in: store.main)
        #expect(patients.map(\.name) == ["Ada", ""])
        #expect(try await clinic.search("53111", 5) == [Pharmacy(name: "Rose")])
        let receipt: Receipt = try await clinic.rename(patients[0], "Ada L.")
        #expect(receipt == Receipt(number: 7))
        #expect(try await clinic.ping().status == .ok)
        let json: JSONValue = try await clinic.ping()
        #expect(json["ok"] == true)
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "cat.png")
            try await clinic.downloadImage("cat.png", to: file)
            #expect(try String(contentsOf: file, encoding: .utf8) == "PNG")
        }
        try await clinic.import(["a": 1]) { $0.headers[.ifMatch] = "*" }
        #expect(stub.log.contains(#"PATCH /users/1 {"user":{"name":"Ada L."}}"#))
        #expect(stub.log.last == #"POST /imports {"a":1}"#)
        #expect(stub.requests.last?.headerFields[.ifMatch] == "*")
        #expect(stub.requests.first { $0.url.path() == "/pharmacies" }?.headerFields[.init("X-Locale")!] == "de")
    }
}
