import Foundation
import ObjectStore
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// Values that the store can't rewrite as received are sent as received, until they are edited or come in another form.
@MainActor @Suite struct KeptTextTests {
    private static let exact = #""2024-05-01T10:00:00.123456789Z""#
    /// The same to a Date, and other digits.
    private static let twin = #""2024-05-01T10:00:00.123456791Z""#

    private func service(
        _ models: [any Model.Type] = Things.models, _ location: Store.Location = .temporary,
        values: ValueFormats? = nil, replies: [String: StubTransport.Reply]? = nil
    ) throws -> Service {
        let stub = replies.map { StubTransport($0) } ?? StubTransport { _ in .status(204) }
        return try Service(models, values: values, saveMethod: .put, location: location, stub: stub)
    }

    private func sent(_ service: Service) -> String { service.stub.log.last ?? "" }

    private func put(_ thing: Thing, _ service: Service) async throws -> String {
        thing.note += "x"
        try await thing.save()
        return sent(service)
    }

    @Test func `A date set back to its imported value is sent in its imported text`() async throws {
        let service = try service()
        let thing = try await service.imported(Thing.self, #"{"id":1,"date":\#(Self.exact)}"#)
        let date = thing.date
        thing.date = Date(timeIntervalSince1970: 0)
        #expect(try await put(thing, service).contains(#""date":"1970-01-01T00:00:00.000000000Z""#))
        thing.date = date
        #expect(try await put(thing, service).contains(#""date":\#(Self.exact)"#))
    }

    @Test func `A text that differs beyond a date's precision replaces the known one`() async throws {
        let service = try service()
        let thing = try await service.imported(Thing.self, #"{"id":1,"date":\#(Self.exact)}"#)
        let date = thing.date
        for text in [Self.twin, Self.exact, #""2024-05-01T10:00:00.123456717Z""#, Self.twin] {
            _ = try await service.imported(Thing.self, #"{"id":1,"date":\#(text)}"#)
            #expect(thing.date == date)
            #expect(try await put(thing, service).contains(#""date":\#(text)"#))
        }
        // Twice in one body, and with bytes in between that came before.
        _ = try await service.imported(
            Thing.self,
            #"[{"id":1,"date":\#(Self.exact)},{"id":1,"date":\#(Self.twin)},{"id":1,"date":\#(Self.exact)}]"#)
        #expect(try await put(thing, service).contains(#""date":\#(Self.exact)"#))
    }

    @Test func `A body without the value keeps its text`() async throws {
        let service = try service()
        let thing = try await service.imported(
            Thing.self, #"{"id":1,"date":\#(Self.exact),"ratio":12345678901234567890}"#)
        _ = try await service.imported(Thing.self, #"{"id":1,"note":"a","ratio":0.5}"#)
        let sent = try await put(thing, service)
        #expect(sent.contains(#""date":\#(Self.exact)"#) && sent.contains(#""ratio":0.5"#))
        _ = try await service.imported(Thing.self, #"{"id":1,"date":null}"#)
        #expect(try await put(thing, service).contains(#""date":null"#))
    }

    @Test func `The reply to a PUT replaces the known text`() async throws {
        let service = try service(
            replies: ["PUT /things/1": .json(#"{"id":1,"note":"x","date":\#(Self.twin)}"#)])
        let thing = try await service.imported(Thing.self, #"{"id":1,"date":\#(Self.exact)}"#)
        #expect(try await put(thing, service).contains(#""date":\#(Self.exact)"#))
        #expect(try await put(thing, service).contains(#""date":\#(Self.twin)"#))
    }

    @Test func `A draft, another context and a reopened store know the imported text`() async throws {
        let file = try TemporaryFile()
        do {
            let service = try service(location: file)
            let thing = try await service.imported(Thing.self, #"{"id":1,"date":\#(Self.exact)}"#)
            let draft = try service.main.draft()
            let copy = try #require(try draft.context.find(Thing.self, 1))
            copy.note = "draft"
            try await copy.save()
            #expect(sent(service).contains(#""date":\#(Self.exact)"#))
            try await service.store.background { context in
                let thing = try context.find(Thing.self, 1)
                thing?.note = "elsewhere"
                try await thing?.save()
            }
            #expect(sent(service).contains(#""date":\#(Self.exact)"#))
            _ = thing
        }
        let service = try service(location: file)
        let thing = try #require(try service.main.find(Thing.self, 1))
        #expect(try await put(thing, service).contains(#""date":\#(Self.exact)"#))
    }

    private func service(location file: TemporaryFile) throws -> Service {
        try service(Things.models, .file(file.path))
    }

    // MARK: Where a value may be

    @Model(embedded: true) final class Stop {
        var at: Date?
        var name = ""
    }

    @Model("/moments", identity: "at") final class Moment {
        var at: Date?
        var name = ""
    }

    @Test func `Embedded objects are sent with their imported text`() async throws {
        let service = try service([Voyage.self, Stop.self])
        let voyage = try await service.imported(
            Voyage.self,
            #"{"id":1,"first":{"at":\#(Self.exact),"name":"a"},"stops":[{"at":\#(Self.exact)},{"at":\#(Self.twin)}]}"#)
        voyage.name = "x"
        try await voyage.save()
        #expect(sent(service).contains(#""first":{"at":\#(Self.exact),"name":"a"}"#), "\(sent(service))")
        #expect(sent(service).contains(#""stops":[{"at":\#(Self.exact)},{"at":\#(Self.twin)}]"#), "\(sent(service))")
        _ = try await service.imported(Voyage.self, #"{"id":1,"stops":[{"at":\#(Self.twin)},{"at":\#(Self.exact)}]}"#)
        voyage.stops[0].name = "b"
        try await voyage.save()
        #expect(
            sent(service).contains(#""stops":[{"at":\#(Self.twin),"name":"b"},{"at":\#(Self.exact)}]"#),
            "\(sent(service))")
    }

    @Model("/voyages") final class Voyage {
        var identifier: Int?
        var name = ""
        var first: Stop?
        var stops: [Stop]
    }

    @Test func `A date in a key or URL has its imported text, edited or not`() async throws {
        let service = try service([Moment.self])
        let moment = try await service.imported(Moment.self, #"{"at":\#(Self.exact),"name":"a"}"#)
        moment.name = "b"
        try await moment.save()
        #expect(sent(service).hasPrefix("PUT /moments/2024-05-01T10:00:00.123456789Z {\"at\":\(Self.exact)"))
        moment.at = Date(timeIntervalSince1970: 0)
        try await moment.save(using: .patch)
        #expect(
            sent(service).hasPrefix("PATCH /moments/2024-05-01T10:00:00.123456789Z {\"at\":\"1970-01-01T"),
            "\(sent(service))")
    }

    // MARK: Declared formats

    @Model("/days") final class Day {
        var identifier: Int?
        var name = ""
        @Attribute(format: .pattern("yyyy-MM-dd HH:mm", timeZone: TimeZone(identifier: "Europe/Berlin") ?? .gmt))
        var local: Date?
        @Attribute(format: .pattern("yyyy-MM-dd HH:mm:ss.SSSSSS")) var fine: Date?
        @Attribute(format: .iso8601(fractionDigits: 9)) var nano: Date?
        @Attribute(format: .iso8601(fractionDigits: 3)) var milli: Date?
        @Attribute(format: .iso8601) var plain: Date?
        @Attribute(format: .epochSeconds) var epoch: Date?
        @Attribute(format: .date) var day: Date?
        @Attribute(format: .iso8601(fractionDigits: 9)) var nanos: [Date]?
        @Attribute(format: .pattern("dd.MM.yyyy HH:mm", timeZone: TimeZone(identifier: "Europe/Berlin") ?? .gmt))
        var locals: [String: Date]?
    }

    @Test(
        arguments: [
            // An hour that is skipped, one that comes twice, digits that formatters don't have.
            (#""local":"2026-03-29 02:30""#, nil), (#""local":"2026-10-25 02:30""#, nil),
            (#""fine":"2026-03-29 02:30:00.123456""#, nil), (#""nano":"2026-03-29T02:30:00.123456789Z""#, nil),
            (#""plain":"2026-03-29T02:30:00.123456789Z""#, nil), (#""plain":"2016-12-31T23:59:60Z""#, nil),
            (#""nanos":["2026-03-29T02:30:00.123456789Z","2026-03-29T02:30:00.000000000Z"]"#, nil),
            (#""locals":{"a":"29.03.2026 02:30"}"#, nil),
            // A value of another format is sent in the declared one.
            (#""milli":"2026-03-29T02:30:00.123456789Z""#, #""milli":"2026-03-29T02:30:00.123Z""#),
            (#""plain":"2026-03-29T02:30:00.123456789+01:00""#, #""plain":"2026-03-29T01:30:00.123457Z""#),
            (#""epoch":1441888808.25"#, #""epoch":1441888808"#),
            (#""day":"2026-03-29T02:30:00.123456789Z""#, #""day":"2026-03-29""#),
            (#""local":"2026-03-29T01:30:00.123456789Z""#, #""local":"2026-03-29 03:30""#),
        ] as [(String, String?)])
    func `A date in a declared format is sent as it came`(_ came: String, _ other: String?) async throws {
        let service = try service([Day.self])
        let day = try await service.imported(Day.self, #"{"id":1,\#(came)}"#)
        day.name = "x"
        try await day.save()
        #expect(sent(service).contains(other ?? came), "\(sent(service))")
    }

    // MARK: Days among times

    @Test(arguments: [false, true])
    func `Days and times of one attribute keep their form`(_ areDaysFirst: Bool) async throws {
        let service = try service()
        let days = [#"{"id":1,"date":"2024-02-29"}"#, #"{"id":2,"date":"2024-03-01"}"#]
        let times = [#"{"id":3,"date":"2024-02-29T00:00:00Z"}"#, #"{"id":4,"date":"2024-02-29T13:30:00+01:00"}"#]
        for bodies in areDaysFirst ? [days, times] : [times, days] {
            _ = try await service.imported(Thing.self, "[\(bodies.joined(separator: ","))]")
        }
        let expected = [
            #""date":"2024-02-29""#, #""date":"2024-03-01""#, #""date":"2024-02-29T01:00:00+01:00""#,
            #""date":"2024-02-29T13:30:00+01:00""#,
        ]
        for (key, date) in zip(1..., expected) {
            let thing = try #require(try service.main.find(Thing.self, key))
            // The last member, so that its end is seen.
            #expect(try await put(thing, service).hasSuffix(date + "}"), "\(sent(service))")
        }
        // Where times come, a time is no mistake.
        let thing = try #require(try service.main.find(Thing.self, 1))
        thing.date = Date(timeIntervalSince1970: 60)
        #expect(try await put(thing, service).contains(#""date":"1970-01-01T01:01:00+01:00""#))
    }
}
