import Foundation
import RestfulData
import RestfulDataTesting
import Testing

/// Transformers for one attribute and for one type, in both directions, and custom types.
@MainActor @Suite struct TransformerTests {
    @Model("/wrong")
    final class Wrong {
        var identifier: Int?
        @Attribute(transformer: AttributeTransformer<Decimal>.cents) var price: Double?
        @Attribute(format: .epochSeconds) var title = ""
        @Attribute(format: .pattern("dd/mm")) var day: Date?
    }

    private func service(_ values: ValueFormats = ValueFormats()) throws -> Service {
        try Service([Event.self], values: values, stub: StubTransport { _ in .status(204) })
    }

    @Test func `A transformer reads and writes values`() async throws {
        let service = try service()
        let event = try await service.imported(
            Event.self,
            #"{"id":1,"price":{"cents":1250},"venue":"","place":[1.5,2],"state":"CLOSED","version":"v1.2","versions":["v3.4"]}"#
        )
        #expect(event.price == Decimal(string: "12.5"))
        #expect(event.venue == nil)
        #expect(event.place == Point(x: 1.5, y: 2))
        #expect(event.state == .closed)
        #expect(event.version == Version(1, 2))
        #expect(event.versions == [Version(3, 4)])
        event.price = 3
        event.venue = "Hall"
        event.place.x = 0
        event.state = .open
        event.version = Version(2, 0)
        event.versions.append(Version(5, 6))
        try await event.save()
        #expect(
            service.stub.log == [
                #"PATCH /events/1 {"price":{"cents":300},"venue":"Hall","place":[0.0,2.0],"state":"OPEN","version":"v2.0","#
                    + #""versions":["v3.4","v5.6"]}"#
            ])
    }

    @Test(arguments: [
        (#""price":{"cents":"x"}"#, "price.cents"), (#""place":[1]"#, "place"), (#""place":{}"#, "place"),
        (#""state":"ajar""#, "state"), (#""state":5"#, "state"),
    ])
    func `A value that a transformer refuses is left out and reported`(_ member: String, _ path: String) async throws {
        let service = try service()
        let event = try await service.imported(
            Event.self, #"{"id":1,"price":{"cents":1},"place":[1,2],"state":"CLOSED"}"#)
        let report = try await service.main.import(Event.self, from: Array(#"{"id":1,\#(member)}"#.utf8)).report
        #expect(report.mismatched.map(\.path) == [path])
        #expect(report.mismatched.map(\.expected) == ["what the attribute's transformer takes"])
        #expect(event.price == Decimal(string: "0.01") && event.place == Point(x: 1, y: 2) && event.state == .closed)
    }

    @Test func `A number for a transformer is whole like an attribute's, and never infinite`() async throws {
        let service = try service()
        for (cents, price) in [("1250.0", 12.5), ("1e3", 10), ("-0", 0)] as [(String, Decimal)] {
            let event = try await service.imported(Event.self, #"{"id":1,"price":{"cents":\#(cents)}}"#)
            #expect(event.price == price, "\(cents)")
        }
        for member in [#""price":{"cents":1.5}"#, #""price":{"cents":9223372036854775808}"#, #""place":[1,1e400]"#] {
            let report = try await service.main.import(Event.self, from: Array(#"{"id":2,\#(member)}"#.utf8)).report
            #expect(report.mismatchedCount == 1, "\(member)")
        }
        #expect(JSONValue.number("1e400").double == nil && JSONValue.number("12x").double == nil)
        #expect(JSONValue.number("1.5").double == 1.5 && JSONValue.number("1.5").integer == nil)
    }

    @Test func `Null bypasses the transformer and is nil or the default`() async throws {
        let service = try service()
        let event = try await service.imported(
            Event.self, #"{"id":1,"price":{"cents":1},"place":[1,2],"state":"CLOSED"}"#)
        _ = try await service.imported(Event.self, #"{"id":1,"price":{"cents":null},"place":null,"state":null}"#)
        #expect(event.price == nil && event.place == Point(x: 0, y: 0) && event.state == .open)
        event.price = nil
        event.place = Point(x: 3, y: 3)
        try await event.save()
        #expect(service.stub.log == [#"PATCH /events/1 {"place":[3.0,3.0]}"#])
    }

    @Test func `An API's transformer of a type applies to attributes that declare none`() async throws {
        let yesNo = AttributeTransformer<Bool>(
            reading: { $0.string == "Y" ? true : $0.string == "N" ? false : nil }, writing: { .string($0 ? "Y" : "N") })
        let days = AttributeTransformer<Date>(
            reading: { $0.integer.map { Date(timeIntervalSince1970: Double($0) * 86400) } },
            writing: { .number("\(Int($0.timeIntervalSince1970 / 86400))") })
        let service = try service(ValueFormats(transformers: [yesNo, days]))
        let event = try await service.imported(
            Event.self, #"{"id":1,"is_locked":"Y","plain_at":2,"starts_at":5}"#)
        #expect(event.isLocked)
        #expect(event.plainAt == Date(timeIntervalSince1970: 2 * 86400))
        #expect(event.startsAt == Date(timeIntervalSince1970: 5))
        event.isLocked = false
        event.plainAt = Date(timeIntervalSince1970: 86400)
        try await event.save()
        #expect(service.stub.log == [#"PATCH /events/1 {"plain_at":1,"is_locked":"N"}"#])
    }

    @Test func `A transformer or format that doesn't fit its attribute is reported when the store opens`() throws {
        let error = #expect(throws: StoreError.self) { try Store(.temporary, models: [Wrong.self]) }
        guard case .models(let problems)? = error else { return #expect(Bool(false), "\(error as Any)") }
        #expect(
            problems == [
                "Wrong.price declares a transformer of Decimal, but is Optional<Double>",
                "Wrong.title declares the date format seconds since 1970, but is String",
                "Wrong.day declares a date format that is no use: \"dd/mm\": \"m\" is minutes; a month is \"M\"",
            ])
    }

    @Test func `A value that a transformer can't write throws with the property's name`() async throws {
        let never = AttributeTransformer<Bool>(reading: { $0.bool }, writing: { _ in nil })
        let service = try service(ValueFormats(transformers: [never]))
        let event = Event(in: service.main)
        event.isLocked = true
        let error = await #expect(throws: APIError.self) { try await event.create() }
        guard case .unsendable("Event", "isLocked", _)? = error else { return #expect(Bool(false), "\(error as Any)") }
        #expect(service.stub.log == [])
    }
}
