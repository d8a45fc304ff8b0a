import Foundation
import RestfulData
import RestfulDataTesting
import Testing

/// Edited values are sent in the shape in which others came, with more digits where it has too few.
@MainActor @Suite struct EditedValueTests {
    private func service() throws -> Service {
        try Service(Things.models, stub: StubTransport { _ in .status(204) })
    }

    @Test(
        arguments: [
            // As others came.
            (#""2014-01-02""#, 86400, #""1970-01-02""#), (#""2009-10-09 12:40:08""#, 1, #""1970-01-01 00:00:01""#),
            (#""2016-01-09T12:40:14.070""#, 1.5, #""1970-01-01T00:00:01.500""#),
            (#""2016-01-09T12:40:08.123+02:00""#, 0, #""1970-01-01T02:00:00.000+02:00""#),
            (#""2016-01-09T12:40-0930""#, 60, #""1969-12-31T14:31-0930""#),
            ("1441888808", 1, "1"), (#""1441888808000""#, 1, #""1000""#), ("1441888808000000", 1, "1000000"),
            ("1441888808000", 0.001, "1"), ("1441888808000000", 0.000001, "1"),
            // A day is one, and a whole number is one: fields for those take nothing else.
            (#""2014-01-02""#, 1, #""1970-01-01""#), (#""2014-01-02""#, 1_709_251_199, #""2024-02-29""#),
            (#""2014-01-02""#, -1, #""1969-12-31""#), (#""2014-01-02""#, 86_399.999_999_9, #""1970-01-02""#),
            ("1441888808", 0.4, "0"), ("1441888808", 1.5, "2"), (#""1441888808000""#, 0.0006, #""1""#),
            // With more digits than a date has.
            (#""2016-01-09T12:40:08.1234567Z""#, 1_704_067_200.1, #""2024-01-01T00:00:00.1000000Z""#),
            (#""2016-01-09T12:40:08.123456789Z""#, 1_704_067_200.001, #""2024-01-01T00:00:00.001000000Z""#),
            // More exact than others came.
            ("1441888808.5", 0.25, "0.25"), (#""1441888808.000100""#, 1, #""1""#),
            (#""2016-01-09T12:40:08Z""#, 0.5, #""1970-01-01T00:00:00.500Z""#),
            (#""2016-01-09T12:40:08.1Z""#, 0.000001, #""1970-01-01T00:00:00.000001Z""#),
            (#""2016-01-09T12:40Z""#, 1, #""1970-01-01T00:00:01Z""#),
            // A year that its zone can't express.
            (#""2016-01-09T12:40:08+14:00""#, 253_402_300_799, #""9999-12-31T23:59:59Z""#),
            // Years that only its zone can express.
            (#""2016-01-09T12:40:08-05:00""#, 253_402_318_799, #""9999-12-31T23:59:59-05:00""#),
            (#""2016-01-09T12:40:08+05:00""#, -62_167_237_200, #""0000-01-01T00:00:00+05:00""#),
            // Years that only numbers express.
            ("1441888808", 253_402_300_800, "253402300800"),
        ] as [(String, Double, String)])
    func `An edited date is sent in the form in which it came`(came: String, seconds: Double, sent: String) async throws
    {
        let service = try service()
        let thing = try await service.imported(Thing.self, #"{"id":1,"date":\#(came)}"#)
        thing.date = Date(timeIntervalSince1970: seconds)
        try await thing.save()
        #expect(service.stub.log == [#"PATCH /things/1 {"date":\#(sent)}"#])
    }

    /// The last value of a .NET date: its second has no such number.
    @Test func `The last moment of the year 9999 is sent in that year`() async throws {
        let service = try service()
        let thing = try await service.imported(Thing.self, #"{"id":1,"date":"9999-12-31T23:59:59.9999999Z"}"#)
        let other = Thing(in: service.main)
        other.date = thing.date
        try await other.create()
        #expect(service.stub.log.last?.contains(#""date":"9999-12-31T23:59:59.9999695Z""#) == true)
    }

    @Test func `Edited values are sent in the form in which they came`() async throws {
        let service = try service()
        let thing = try await service.imported(
            Thing.self,
            """
            {"id": "1", "count": "5", "size": "1", "price": "1.50", "ratio": "0.5", "is_on": 1, "text": 5,
             "token": "e621e1f8-c36c-495a-93fc-0c247a3e6e5f", "blob": "_-8", "level": "1", "levels": ["1"],
             "limits": {"a": "1.0"}}
            """)
        thing.count = -3
        thing.size = .max
        thing.price = 2
        thing.ratio = 0.25
        thing.isOn = false
        thing.text = "x"
        thing.token = UUID(uuidString: "ABCDEF01-C36C-495A-93FC-0C247A3E6E5F")
        thing.blob = Data([0xFB, 0xF0])
        thing.level = .high
        thing.levels = [.low, .high]
        thing.limits = ["b": 1]
        try await thing.save()
        #expect(
            service.stub.log == [
                #"PATCH /things/1 {"count":"-3","size":"18446744073709551615","price":"2","ratio":"0.25","is_on":0,"#
                    + #""text":"x","token":"abcdef01-c36c-495a-93fc-0c247a3e6e5f","blob":"-_A","level":"2","#
                    + #""levels":["1","2"],"limits":{"b":"1"}}"#
            ])
        thing.text = "6"
        try await thing.save()
        #expect(service.stub.log.last == #"PATCH /things/1 {"text":6}"#)
    }

    @Test func `The form of the last import is used, whichever context imported it`() async throws {
        let service = try service()
        let thing = try await service.imported(Thing.self, #"{"id":1,"count":"5"}"#)
        try await service.store.background { context in
            _ = try await context.import(Thing.self, from: Array(#"{"id":2,"count":6}"#.utf8))
        }
        thing.count = 7
        try await thing.save()
        #expect(service.stub.log == [#"PATCH /things/1 {"count":7}"#])
    }

    @Test func `A refused import doesn't change the known forms`() async throws {
        let service = try service()
        let thing = try await service.imported(Thing.self, #"{"id":1,"count":"5"}"#)
        for (body, reason) in [
            (#"{"id":2,"count":6"#, "the body ends in the middle"),
            (#"[{"id":2,"count":6},5]"#, "[1]: a number where a Thing was expected"),
        ] {
            await #expect {
                _ = try await service.main.import(Thing.self, from: Array(body.utf8), isAllOrNothing: true)
            } throws: { error in
                error is StoreError && "\(error)".contains(reason)
            }
        }
        thing.count = 7
        try await thing.save()
        #expect(service.stub.log == [#"PATCH /things/1 {"count":"7"}"#])
    }

    @Test func `An import with known forms writes nothing`() async throws {
        let service = try service()
        let body = #"[{"id":1,"count":"5","date":"2014-01-02"},{"id":2,"count":"6","date":"2014-01-03"}]"#
        _ = try await service.imported(Thing.self, body)
        let files = StoreFiles(service.store)
        _ = try await service.imported(Thing.self, body)
        #expect(StoreFiles(service.store) == files)
    }

    @Test func `Identities are sent in the form in which the relationship's came`() async throws {
        let service = try Service(
            [Node.self, Leaf.self], stub: StubTransport { _ in .status(204) })
        let node = try await service.imported(
            Node.self, #"{"id":1,"leaf":{"id":"5"},"leaves":[{"id":"6"}],"peer_id":2,"peer_ids":["3"]}"#)
        let other = try await service.imported(Leaf.self, #"{"id":"7"}"#)
        node.leaf = other
        node.leaves = [other]
        node.peer = node
        node.peers = [node]
        try await node.save()
        // Identities came as strings of leaves and in the list of peers, the node's own as a number. The peer that is
        // not stored remains a string.
        #expect(
            service.stub.log == [
                #"PATCH /nodes/1 {"leaf_id":"7","leaf_ids":["7"],"peer_id":1,"peer_ids":["3","1"]}"#
            ])
    }

    @Model("/nodes")
    final class Node {
        var identifier: Int?
        @Relationship(inverse: nil) var leaf: Leaf?
        @Relationship(inverse: nil) var leaves: [Leaf]
        @Relationship(inverse: nil) var peer: Node?
        @Relationship(inverse: nil) var peers: [Node]
    }

    @Model("/leaves")
    final class Leaf {
        var identifier: Int?
    }

    @Test func `A lower-case UUID key stays lower-case in URLs`() async throws {
        let service = try Service([Card.self], stub: StubTransport { _ in .status(204) })
        let card = try await service.imported(
            Card.self, #"{"id":"e621e1f8-c36c-495a-93fc-0c247a3e6e5f"}"#)
        card.name = "x"
        try await card.save()
        // The stub's reply has no body.
        let error = await failure { _ = try await Card.fetch(key: try #require(card.identifier), in: service.main) }
        guard case .noObject(model: "Card", _, _)? = error else {
            Testing.Issue.record("\(error as Any)")
            return
        }
        #expect(
            service.stub.log == [
                #"PATCH /cards/e621e1f8-c36c-495a-93fc-0c247a3e6e5f {"name":"x"}"#,
                "GET /cards/e621e1f8-c36c-495a-93fc-0c247a3e6e5f",
            ])
    }

    @Model("/cards")
    final class Card {
        var identifier: UUID?
        var name = ""
    }

    @Test func `A key from a Location doesn't change the known forms`() async throws {
        let service = try Service(
            Things.models, saveMethod: .put,
            stub: StubTransport { _ in .status(201, headerFields: [.location: "/things/5"]) })
        let thing = Thing(in: service.main)
        thing.note = "x"
        try await thing.create()
        #expect(thing.identifier == 5)
        thing.note = "y"
        try await thing.save()
        #expect(service.stub.log.last == #"PUT /things/5 {"id":5,"note":"y"}"#)
    }
}
