import Foundation
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// Key paths into nested JSON, both ways, for attributes and relationships.
@MainActor @Suite struct KeyPathTests {
    private static let body = """
        {"id": 1, "links": {"owner": {"id": "7", "name": "Ada"}, "self": "/things/1"},
         "meta": {"inner": {"value": 3, "unit": "m"}, "other": "x"}}
        """

    private func service(_ location: Store.Location = .temporary) throws -> Service {
        try Service(Things.models, location: location, stub: StubTransport { _ in .status(204) })
    }

    @Test func `Values are read at key paths`() async throws {
        let thing = try await service().imported(Thing.self, Self.body)
        #expect(thing.inner == 3 && thing.other == "x" && thing.owner?.name == "Ada")
    }

    @Test func `An object with part of a key path leaves the other values`() async throws {
        let service = try service()
        let thing = try await service.imported(Thing.self, Self.body)
        for body in [
            #"{"id":1,"meta":{"other":"x"}}"#, #"{"id":1,"meta":{"inner":{}}}"#, #"{"id":1,"meta":{},"links":{}}"#,
            #"{"id":1,"meta":null,"links":null}"#, #"{"id":1,"meta":5,"links":[]}"#, #"{"id":1,"meta":{"inner":7}}"#,
        ] {
            _ = try await service.imported(Thing.self, body)
            #expect(thing.inner == 3 && thing.other == "x" && thing.owner?.name == "Ada", "\(body)")
        }
        _ = try await service.imported(Thing.self, #"{"id":1,"meta":{"inner":{"value":null}},"links":{"owner":null}}"#)
        #expect(thing.inner == nil && thing.other == "x" && thing.owner == nil)
    }

    @Test(arguments: [
        (#""meta":5"#, ["meta: 5 where an object was expected"]),
        (
            #""links":[{}],"meta":{"inner":"x"}"#,
            [
                "links: an array where an object was expected", #"meta.inner: "x" where an object was expected"#,
            ]
        ),
        // PHP writes an empty object so.
        (#""meta":[],"links":null"#, []),
    ])
    func `A key path into a value that isn't an object is reported by path`(_ members: String, _ expected: [String])
        async throws
    {
        let imported = try await service().main.import(Thing.self, from: Array(#"[{"id":1,\#(members)}]"#.utf8))
        #expect(imported.report.mismatched.map(\.description) == expected.map { "[0]." + $0 })
    }

    @Test(arguments: [#"{"links":{"owner_id":"8"}}"#, #"{"links":{"owner":"8"}}"#, #"{"links":{"owner_id":8}}"#])
    func `A relationship by identity is read at its key path`(_ members: String) async throws {
        let service = try service()
        let holder = try await service.imported(Holder.self, #"{"id":"8"}"#)
        let thing = try await service.imported(Thing.self, #"{"id":1,"# + members.dropFirst())
        #expect(thing.owner === holder)
    }

    @Test func `Values at key paths are sent nested, without unchanged siblings`() async throws {
        let service = try service()
        let thing = try await service.imported(Thing.self, Self.body)
        thing.inner = 4
        try await thing.save()
        thing.owner = try await service.imported(Holder.self, #"{"id":"8"}"#)
        thing.other = nil
        try await thing.save()
        thing.inner = 5
        thing.other = "y"
        try await thing.save()
        #expect(
            service.stub.log == [
                #"PATCH /things/1 {"meta":{"inner":{"value":4}}}"#,
                #"PATCH /things/1 {"meta":{"other":null},"links":{"owner_id":"8"}}"#,
                #"PATCH /things/1 {"meta":{"inner":{"value":5},"other":"y"}}"#,
            ])
    }

    @Test func `A pending link at a key path is resolved after a restart`() async throws {
        let file = try TemporaryFile()
        do {
            _ = try await service(.file(file.path)).imported(Thing.self, #"{"id":1,"links":{"owner_id":9}}"#)
        }
        let service = try service(.file(file.path))
        let holder = try await service.imported(Holder.self, #"{"id":"9"}"#)
        let thing = try #require(try service.main.find(Thing.self, 1))
        #expect(thing.owner === holder)
    }
}
