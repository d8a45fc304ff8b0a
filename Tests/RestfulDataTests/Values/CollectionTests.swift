import Foundation
import RestfulData
import RestfulDataTesting
import Testing

/// Arrays, sets and dictionaries, of values and of enums.
@MainActor @Suite struct CollectionTests {
    private func service() throws -> Service {
        try Service(Things.models, stub: StubTransport { _ in .status(204) })
    }

    @Test func `Elements of a collection are converted like attributes`() async throws {
        let service = try service()
        let thing = try await service.imported(
            Thing.self,
            """
            {"id": 1, "moods": ["calm", "furious", "wild"], "levels": ["2", 9, 1.0], "mood_by_name": {"a": "wild", "b": "?"},
             "times": ["2014-01-02", 86400], "matrix": [["1", 2.0], []], "names": ["b", "a", "b"],
             "limits": {"x": "1.10", "y": 2}}
            """)
        #expect(thing.moods == [.calm, .wild] && thing.levels == [.low, .high] && thing.moodByName == ["a": .wild])
        #expect(thing.times?.map(\.timeIntervalSince1970) == [1_388_620_800, 86400])
        #expect(thing.matrix == [[1, 2], []] && thing.names == ["a", "b"])
        #expect(thing.limits == ["x": Decimal(string: "1.1") ?? 0, "y": 2])
    }

    @Test(arguments: [
        ("moods", #"["calm", null]"#), ("moods", #"{"a":"calm"}"#), ("moods", #"[["calm"]]"#), ("moods", #""calm""#),
        ("levels", #"["x"]"#), ("levels", "[1.5]"), ("mood_by_name", "[]"), ("mood_by_name", #"{"a":{}}"#),
        ("times", #"["yesterday"]"#), ("matrix", "[1]"), ("matrix", "[[true]]"), ("names", "[[]]"),
        ("limits", #"{"x":"1,5"}"#),
    ])
    func `A collection with an element of another type is reported`(_ key: String, _ json: String) async throws {
        let service = try service()
        let known = """
            {"id": 1, "moods": ["calm"], "levels": [1], "mood_by_name": {"a": "calm"}, "times": [0], "matrix": [[1]],
             "names": ["a"], "limits": {"x": 1}}
            """
        let thing = try await service.imported(Thing.self, known)
        let report = try await service.main.import(Thing.self, from: Array(#"{"id":1,"\#(key)":\#(json)}"#.utf8)).report
        #expect(report.mismatched.map(\.path) == [key] && report.unchanged == 1)
        #expect(thing.moods == [.calm] && thing.levels == [.low] && thing.moodByName == ["a": .calm])
        #expect(thing.matrix == [[1]] && thing.names == ["a"] && thing.limits == ["x": 1] && thing.times?.count == 1)
    }

    @Test func `Unknown elements stay until the collection is set to another value`() async throws {
        let service = try service()
        let thing = try await service.imported(
            Thing.self, #"{"id":1,"moods":["calm","furious"],"level":9,"mood":"furious"}"#)
        #expect(thing.moods == [.calm] && thing.level == .low && thing.mood == nil)
        thing.moods = thing.moods
        #expect(!thing.hasChanges)
        thing.moods.append(.wild)
        thing.level = .high
        thing.mood = .calm
        try await thing.save()
        #expect(service.stub.log == [#"PATCH /things/1 {"mood":"calm","level":2,"moods":["calm","wild"]}"#])
    }

    @Test func `An edited collection is written in order`() async throws {
        let service = try service()
        let thing = Thing(in: service.main)
        thing.levels = [.high, .low]
        thing.moodByName = ["b": .wild, "a": .calm]
        thing.times = [Date(timeIntervalSince1970: 0.25)]
        thing.matrix = [[1], [], [2, 3]]
        thing.names = ["b", "a\"", "c"]
        thing.limits = ["x": Decimal(string: "1.10") ?? 0]
        try await thing.create()
        #expect(
            service.stub.log == [
                #"POST /things {"levels":[1,2],"mood_by_name":{"a":"calm","b":"wild"},"times":["1970-01-01T00:00:00.250Z"],"#
                    + #""matrix":[[1],[],[2,3]],"names":["a\"","b","c"],"limits":{"x":1.1}}"#
            ])
    }

    @Test(arguments: [
        (#"[1, 2.0, "3"]"#, "[1,2,3,4]"), (#"["1", 2]"#, "[1,2,4]"), (#"["1", "2"]"#, #"["1","2","4"]"#),
        ("[1, 2]", "[1,2,4]"), ("[]", "[4]"),
    ])
    func `An edited array is sent in the form that all of its elements had`(_ json: String, _ sent: String) async throws
    {
        let service = try service()
        let thing = try await service.imported(Thing.self, #"{"id":1,"matrix":[\#(json)]}"#)
        thing.matrix?[0].append(4)
        try await thing.save()
        #expect(service.stub.log == [#"PATCH /things/1 {"matrix":[\#(sent)]}"#])
    }
}
