import Foundation
import RestfulData
import RestfulDataTesting
import Testing

/// Declared date formats, for an attribute and for an API, both ways.
@MainActor @Suite struct FormatTests {
    private func service(_ values: ValueFormats = ValueFormats()) throws -> Service {
        let stub = StubTransport { _ in .status(204) }
        return try Service([Event.self], values: values, stub: stub)
    }

    private nonisolated static let dates: [String: any KeyPath<Event, Date?> & Sendable] = [
        "starts_at": \.startsAt, "sent_at": \.sentAt, "seen_at": \.seenAt, "made_at": \.madeAt,
        "changed_at": \.changedAt, "day": \.day, "due": \.due, "plain_at": \.plainAt,
    ]

    @Test(
        arguments: [
            // The declared format, for a number of any size.
            ("starts_at", "1441888808", 1_441_888_808), ("starts_at", "200000000000", 200_000_000_000),
            ("starts_at", #""1441888808""#, 1_441_888_808), ("starts_at", "-1.5", -1.5),
            ("sent_at", "5", 0.005), ("sent_at", "1441888808123", 1_441_888_808.123),
            ("sent_at", #""86400000""#, 86400), ("seen_at", "5000000", 5),
            ("seen_at", "1441888808000001", 1_441_888_808.000001),
            ("made_at", #""2011-01-26T19:06:43Z""#, 1_296_068_803), ("day", #""2014-01-02""#, 1_388_620_800),
            ("due", #""26/01/2011 21:06""#, 1_296_068_760),
            // ISO 8601 can't be mistaken.
            ("starts_at", #""2011-01-26T19:06:43Z""#, 1_296_068_803),
            ("due", #""2011-01-26T19:06:43Z""#, 1_296_068_803),
            ("day", #""2011-01-26T19:06:43Z""#, 1_296_068_803), ("made_at", #""2014-01-02""#, 1_388_620_800),
            // The rest can.
            ("made_at", "1441888808", nil), ("made_at", #""1441888808""#, nil), ("day", "1441888808", nil),
            ("due", "1441888808", nil), ("due", #""01/26/2011 21:06""#, nil), ("due", #""26/01/2011""#, nil),
            ("starts_at", #""26/01/2011 21:06""#, nil), ("starts_at", "1e300", nil), ("starts_at", "true", nil),
        ] as [(String, String, Double?)])
    func `A declared date format is tried first, then unambiguous ones`(
        key: String, json: String, seconds: Double?
    ) async throws {
        let service = try service()
        let imported = try await service.main.import(Event.self, from: Array(#"{"id":1,"\#(key)":\#(json)}"#.utf8))
        let path = try #require(Self.dates[key])
        #expect(imported.objects[0][keyPath: path] == seconds.map { Date(timeIntervalSince1970: $0) })
        #expect(imported.report.mismatched.map(\.path) == (seconds == nil ? [key] : []))
        if seconds == nil { #expect(imported.report.mismatched[0].expected.hasPrefix("a date (")) }
    }

    @Test func `A date is sent in the declared format, rounded to its precision`() async throws {
        let service = try service()
        let event = Event(in: service.main)
        let date = Date(timeIntervalSince1970: 1_296_068_803.6180339)
        event.startsAt = date
        event.sentAt = date
        event.seenAt = date
        event.madeAt = date
        event.changedAt = date
        event.day = date
        event.due = date
        event.times = [date]
        event.plainAt = date
        try await event.create()
        #expect(
            service.stub.log == [
                #"POST /events {"starts_at":1296068804,"sent_at":1296068803618,"seen_at":1296068803618034,"#
                    + #""made_at":"2011-01-26T19:06:43.618034Z","changed_at":"2011-01-26T19:06:43.618Z","day":"2011-01-26","#
                    + #""due":"26/01/2011 21:06","times":[1296068803618],"plain_at":"2011-01-26T19:06:43.618034Z"}"#
            ])
    }

    @Test(
        arguments: [
            (
                -0.75,
                #"{"starts_at":-1,"sent_at":-750,"seen_at":-750000,"made_at":"1969-12-31T23:59:59.250Z","#
                    + #""changed_at":"1969-12-31T23:59:59.250Z","day":"1969-12-31","due":"01/01/1970 01:59","#
                    + #""times":[-750],"plain_at":"1969-12-31T23:59:59.250Z"}"#
            ),
            (
                0.001,
                #"{"starts_at":0,"sent_at":1,"seen_at":1000,"made_at":"1970-01-01T00:00:00.001Z","#
                    + #""changed_at":"1970-01-01T00:00:00.001Z","day":"1970-01-01","due":"01/01/1970 02:00","#
                    + #""times":[1],"plain_at":"1970-01-01T00:00:00.001Z"}"#
            ),
            (
                946_684_799.999,
                #"{"starts_at":946684800,"sent_at":946684799999,"seen_at":946684799999000,"#
                    + #""made_at":"1999-12-31T23:59:59.999Z","changed_at":"1999-12-31T23:59:59.999Z","day":"1999-12-31","#
                    + #""due":"01/01/2000 01:59","times":[946684799999],"plain_at":"1999-12-31T23:59:59.999Z"}"#
            ),
        ] as [(Double, String)])
    func `A date before 1970 or 2001 is sent to the millisecond`(_ seconds: Double, _ body: String) async throws {
        let service = try service()
        let event = Event(in: service.main)
        let date = Date(timeIntervalSince1970: seconds)
        event.startsAt = date
        event.sentAt = date
        event.seenAt = date
        event.madeAt = date
        event.changedAt = date
        event.day = date
        event.due = date
        event.times = [date]
        event.plainAt = date
        try await event.create()
        #expect(service.stub.log == ["POST /events " + body])
    }

    @Test(arguments: ["852076800456", "-100000000001", #""852076800456""#])
    func `Milliseconds are sent as they came, however long ago`(_ json: String) async throws {
        let service = try service()
        let event = try await service.imported(Event.self, #"{"id":1,"plain_at":915148800123,"made_at":null}"#)
        let other = try await service.imported(Event.self, #"{"id":2,"plain_at":\#(json)}"#)
        let date = other.plainAt
        other.plainAt = nil
        try await other.save()
        other.plainAt = date
        try await other.save()
        #expect(service.stub.log.last == #"PATCH /events/2 {"plain_at":\#(json)}"#)
        #expect(event.plainAt == Date(timeIntervalSince1970: 915_148_800.123))
    }

    @Test func `The last moment of the year 9999 isn't rounded up`() async throws {
        let service = try service()
        let event = try await service.imported(Event.self, #"{"id":1}"#)
        event.madeAt = Date(timeIntervalSince1970: 253_402_300_799.999_9)
        event.changedAt = event.madeAt
        event.plainAt = event.madeAt
        try await event.save()
        #expect(
            service.stub.log == [
                #"PATCH /events/1 {"made_at":"9999-12-31T23:59:59.999908Z","#
                    + #""changed_at":"9999-12-31T23:59:59.999Z","plain_at":"9999-12-31T23:59:59.999908Z"}"#
            ])
    }

    @Test(arguments: ["Z", "+01:00", "-01:00"])
    func `A leap second at the end of the year 9999 isn't rounded up`(_ zone: String) async throws {
        let service = try service()
        let event = try await service.imported(Event.self, #"{"id":1,"plain_at":"9999-12-31T23:59:60\#(zone)"}"#)
        let other = Event(in: service.main)
        other.plainAt = event.plainAt
        try await other.create()
        #expect(service.stub.log.last?.contains(#""plain_at":"9999-12-31T23:59:59.9999"#) == true)
    }

    /// Infinity is refused in every format. Some years are sent only by the formats that can express them.
    @Test(arguments: [1e15, -1e15, 1e21, Date.distantFuture.timeIntervalSince1970 * 1000, .infinity, -.infinity])
    func `A date that a format can't express is refused by name`(_ seconds: Double) async throws {
        let service = try service()
        let date = Date(timeIntervalSince1970: seconds)
        let edits: [(String, Bool, (Event) -> Void)] = [
            ("startsAt", true, { $0.startsAt = date }), ("sentAt", true, { $0.sentAt = date }),
            ("seenAt", true, { $0.seenAt = date }), ("madeAt", false, { $0.madeAt = date }),
            ("changedAt", false, { $0.changedAt = date }), ("day", false, { $0.day = date }),
            ("due", false, { $0.due = date }), ("times", false, { $0.times = [date] }),
            ("plainAt", false, { $0.plainAt = date }),
        ]
        for (property, isWritten, edit) in edits {
            let event = try await service.imported(Event.self, #"{"id":1}"#)
            edit(event)
            if isWritten, seconds.isFinite {
                try await event.save()
                continue
            }
            let error = await #expect(throws: APIError.self) { try await event.save() }
            guard case .unsendable("Event", property, _)? = error else {
                Testing.Issue.record("\(property): \(String(describing: error))")
                continue
            }
            service.main.rollback()
        }
        #expect(service.stub.log.count == (seconds.isFinite ? 3 : 0))
    }

    @Test func `A number in a string is sent in a string`() async throws {
        let service = try service()
        let event = try await service.imported(Event.self, #"{"id":1,"sent_at":"5","times":["7"]}"#)
        #expect(event.times == [Date(timeIntervalSince1970: 0.007)])
        event.sentAt = Date(timeIntervalSince1970: 1)
        event.times.append(Date(timeIntervalSince1970: 2))
        try await event.save()
        #expect(service.stub.log == [#"PATCH /events/1 {"sent_at":"1000","times":["7","2000"]}"#])
    }

    @Test func `An API's date format applies to attributes that declare none`() async throws {
        let service = try service(ValueFormats(dates: .epochMilliseconds))
        let event = try await service.imported(Event.self, #"{"id":1,"plain_at":5000,"starts_at":5}"#)
        #expect(event.plainAt == event.startsAt)
        event.plainAt = Date(timeIntervalSince1970: 6)
        event.startsAt = Date(timeIntervalSince1970: 6)
        try await event.save()
        #expect(service.stub.log == [#"PATCH /events/1 {"starts_at":6,"plain_at":6000}"#])
    }

    @Test(
        arguments: [
            ("", "it has no fields"), ("'at'", "it has no fields"),
            ("dd/mm/yyyy", "\"m\" is minutes; a month is \"M\""),
            ("YYYY-MM-dd", "\"Y\" is the year of a week; a date's year is \"y\""),
            ("yyyy-MM-DD", "\"D\" is a day of the year; a month's is \"d\""),
            ("yyyy-MM-dd hh:mm", "\"h\" goes to 12 and needs \"a\"; hours to 23 are \"H\""),
            ("yyyy-MM-ddTHH:mm", "\"T\" is no field; put words in single quotes"),
            ("dd/MM HH:mm", "it does not tell the day, month and year"),
            ("HH:mm", "it does not tell the day, month and year"),
            ("YYYY-'W'ww", "it does not tell the day, month and year"),
            ("yyyy-ww-e", "it does not tell the day, month and year"),
        ])
    func `A date pattern that is ambiguous is reported when the store opens`(_ pattern: String, _ reason: String) throws
    {
        let error = #expect(throws: StoreError.self) { try service(ValueFormats(dates: .pattern(pattern))) }
        guard case .models(let problems)? = error else { return #expect(Bool(false), "\(error as Any)") }
        #expect(problems == ["the API's date format is no use: \"\(pattern)\": \(reason)"])
    }

    @Test(arguments: [
        "yyyy-MM-dd'T'HH:mm:ss", "dd.MM.yyyy", "d MMM yyyy, h:mm a", "yyyyMMdd", "EEE, dd MMM yyyy HH:mm:ss zzz",
        "yyyy-DDD", "yyyy/MM/dd HH:mm:ss.SSS Z",
    ])
    func `A complete date pattern is accepted`(_ pattern: String) throws {
        _ = try service(ValueFormats(dates: .pattern(pattern)))
    }

    @Model("/days") final class Day {
        var identifier: Int?
        @Attribute(format: .pattern("dd/MM/yy")) var short: Date?
        @Attribute(format: .pattern("dd/MM/yyyy", timeZone: TimeZone(identifier: "Africa/Cairo") ?? .gmt))
        var here: Date?
        @Attribute(format: .pattern("yyyy-MM-dd HH:mm", timeZone: TimeZone(identifier: "Europe/Berlin") ?? .gmt))
        var time: Date?
    }

    /// Clocks go from 0:00 to 1:00 in Cairo on that day, from 2:00 to 3:00 in Berlin.
    @Test func `A day or time that the clocks skip is read`() async throws {
        let service = try Service([Day.self], stub: StubTransport { _ in .status(204) })
        let day = try await service.imported(
            Day.self, #"{"id": 1, "here": "24/04/2026", "time": "2026-03-29 02:30"}"#)
        #expect(day.here == Date(timeIntervalSince1970: 1_776_981_600))
        #expect(day.time == Date(timeIntervalSince1970: 1_774_747_800))
        let other = try await service.imported(
            Day.self, #"{"id": 2, "here": "31/02/2026", "time": "2026-03-29 25:30"}"#)
        #expect(other.here == nil && other.time == nil)
        day.short = day.time
        try await day.save(using: .put)
        #expect(
            service.stub.log.last
                == #"PUT /days/1 {"id":1,"short":"29/03/26","here":"24/04/2026","time":"2026-03-29 02:30"}"#)
    }

    @Test func `A year that two digits can't express isn't sent`() async throws {
        let service = try Service([Day.self], stub: StubTransport { _ in .status(204) })
        let day = try await service.imported(Day.self, #"{"id": 1}"#)
        day.short = Date(timeIntervalSince1970: 4_420_000_000)
        let error = await failure { try await day.save() }
        guard case .unsendable("Day", "short", _)? = error else {
            Testing.Issue.record("\(String(describing: error))")
            return
        }
        #expect(service.stub.log == [])
    }

    @Test func `The explanation lists declared date formats and transformers`() throws {
        let text = try service(ValueFormats(dates: .epochSeconds)).store.explain(Event.self)
        for line in [
            "words joined with \"_\"; date format: seconds since 1970",
            "words joined with \"_\"; date format: ISO 8601 with 3 digits of a fraction",
            "the name as it is; date format: \"dd/MM/yyyy HH:mm\" in GMT+0200",
            "explicit in the declaration; through a transformer",
        ] { #expect(text.contains(line), "\(line)\n\(text)") }
    }
}
