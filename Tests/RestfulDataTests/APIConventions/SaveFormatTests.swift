import Foundation
import RestfulData
import RestfulDataTesting
import Testing

@Model("/devices")
private final class Device {
    var identifier: Int?
    var name = ""
    var note: String?
    @Attribute("owner.city") var city: String?
    @Attribute("a/b~c") var odd: String?
    @Attribute("dotted\\.key") var dotted: String?
    var labels: [String: String] = [:]
    var extra: JSONValue?
    @Relationship(inverse: nil) var place: Place?
    @Relationship(inverse: nil) var sensors: [Sensor]
    @Attribute(alwaysSent: true) var etag: String?
}

@Model(embedded: true)
private final class Place {
    var street: String?
    var zip: String?
}

@Model("/sensors")
private final class Sensor {
    var identifier: Int?
    var device: Device?
}

@Model("/gauges")
private final class Gauge {
    var identifier: Int?
    var name = ""
}

/// Formats of a save: values, a merge patch, a JSON Patch, an update mask.
@MainActor @Suite struct SaveFormatTests {
    private static let models: [any Model.Type] = [Device.self, Place.self, Sensor.self]

    private static let full = """
        {"id": 5, "name": "A", "note": "n", "owner": {"city": "Bern", "name": "Ada"}, "a/b~c": "x", "dotted.key": "d",
         "labels": {"a": "1", "b": "2"}, "extra": {"k": 1}, "place": {"street": "S", "zip": "1"}, "sensor_ids": [1],
         "etag": "e1"}
        """

    private func service(_ method: SaveMethod, reply: StubTransport.Reply = .status(204)) throws -> Service {
        try Service(Self.models, saveMethod: method, stub: StubTransport { _ in reply })
    }

    @Test(arguments: [SaveMethod.patch, .mergePatch, .jsonPatch, .updateMask, .put, .putChanges, .post])
    func `A partly applied change takes the server's value for the rest`(
        _ method: SaveMethod
    ) async throws {
        let reply = #"{"id": 5, "name": "B", "note": "n", "owner": {"city": "Bern"}, "labels": {"a": "1", "b": "3"}}"#
        let service = try service(method, reply: .json(reply))
        let device = try await service.imported(Device.self, Self.full)
        (device.name, device.note, device.city, device.labels) = ("B", "mine", "Basel", ["b": "3"])
        try await device.save()
        #expect(device.name == "B" && device.note == "n" && device.city == "Bern")
        #expect(device.labels == ["a": "1", "b": "3"] && device.unsentProperties.isEmpty)
    }

    /// Changes something of every kind.
    private func edit(_ device: Device) {
        device.name = "B"
        device.note = nil
        device.city = "Basel"
        device.odd = "y"
        device.labels = ["b": "3"]
        device.place?.zip = nil
        device.sensors = []
    }

    @Test(
        arguments: [
            (
                .mergePatch, "application/merge-patch+json",
                #"PATCH /devices/5 {"name":"B","note":null,"owner":{"city":"Basel"},"a/b~c":"y","#
                    + #""labels":{"b":"3","a":null},"place":{"street":"S","zip":null},"sensor_ids":[],"etag":"e1"}"#
            ),
            (
                .jsonPatch, "application/json-patch+json",
                #"PATCH /devices/5 [{"op":"add","path":"/name","value":"B"},{"op":"remove","path":"/note"},"#
                    + #"{"op":"add","path":"/owner/city","value":"Basel"},{"op":"add","path":"/a~1b~0c","value":"y"},"#
                    + #"{"op":"add","path":"/labels","value":{"b":"3"}},"#
                    + #"{"op":"add","path":"/place","value":{"street":"S","zip":null}},"#
                    + #"{"op":"add","path":"/sensor_ids","value":[]},{"op":"add","path":"/etag","value":"e1"}]"#
            ),
            (
                .updateMask, "application/json",
                "PATCH /devices/5?updateMask=name%2Cnote%2Cowner.city%2Ca%2Fb~c%2Clabels%2Cplace%2Csensor_ids "
                    + #"{"name":"B","owner":{"city":"Basel"},"a/b~c":"y","labels":{"b":"3"},"#
                    + #""place":{"street":"S","zip":null},"sensor_ids":[],"etag":"e1"}"#
            ),
        ] as [(SaveMethod, String, String)])
    func `An immediate save and one of the outbox send equal requests`(
        _ method: SaveMethod, _ type: String, _ line: String
    ) async throws {
        let service = try service(method)
        let device = try await service.imported(Device.self, Self.full)
        edit(device)
        try await device.save()
        #expect(service.stub.log == [line])
        #expect(service.stub.requests[0].headerFields[.contentType] == type)
        #expect(!device.hasChanges && device.unsentProperties.isEmpty)

        let queued = try self.service(method)
        let other = try await queued.imported(Device.self, Self.full)
        edit(other)
        try await other.save(.queued)
        let entry = try #require(try await queued.store.outbox.entries().first)
        #expect("\(entry.request ?? "") \(entry.body ?? "")".contains(line.split(separator: " ", maxSplits: 2)[2]))
        _ = await queued.store.outbox.drain()
        #expect(queued.stub.log == [line])
        #expect(queued.stub.requests[0].headerFields[.contentType] == type)
        #expect(try await queued.store.outbox.entries().isEmpty)
    }

    @Test func `A partly applied JSON Patch takes the reply's values`() async throws {
        let service = try service(.jsonPatch, reply: .json(#"{"id": 5, "name": "B", "note": "kept"}"#))
        let device = try await service.imported(Device.self, Self.full)
        device.name = "B"
        device.note = "mine"
        try await device.save()
        #expect(device.note == "kept" && !device.hasChanges && device.unsentProperties.isEmpty)
    }

    @Test func `A chosen property is sent alone in each format`() async throws {
        let service = try service(.updateMask)
        let device = try await service.imported(Device.self, Self.full)
        try await device.save(only: \.name)
        try await device.save(only: \.name, using: .jsonPatch)
        try await device.save(only: \.name, using: .mergePatch)
        #expect(
            service.stub.log == [
                #"PATCH /devices/5?updateMask=name {"name":"A","etag":"e1"}"#,
                #"PATCH /devices/5 [{"op":"add","path":"/name","value":"A"},{"op":"add","path":"/etag","value":"e1"}]"#,
                #"PATCH /devices/5 {"name":"A","etag":"e1"}"#,
            ])
    }

    @Test func `A link is sent in each format`() async throws {
        let service = try service(.updateMask)
        let device = try await service.imported(Device.self, Self.full)
        let sensor = try await service.imported(Sensor.self, #"{"id": 2, "device_id": null}"#)
        sensor.device = device
        try await sensor.save()
        sensor.device = nil
        try await sensor.save(using: .jsonPatch)
        #expect(
            service.stub.log == [
                #"PATCH /sensors/2?updateMask=device_id {"device_id":5}"#,
                #"PATCH /sensors/2 [{"op":"remove","path":"/device_id"}]"#,
            ])
    }

    @Test func `A call's own update mask is kept`() async throws {
        let service = try service(.updateMask)
        let device = try await service.imported(Device.self, Self.full)
        device.name = "B"
        try await device.save { $0.query = ["updateMask": "*"] }
        #expect(service.stub.log == [#"PATCH /devices/5?updateMask=%2A {"name":"B","etag":"e1"}"#])
    }

    @Test func `JSON Patch paths and update masks respect the envelope`() async throws {
        var conventions = APIConventions.rails
        conventions.envelopes = .keyed("data")
        conventions.saveMethod = .jsonPatch
        let service = try Service(
            Self.models, conventions: conventions, stub: StubTransport { _ in .status(204) })
        let device = try await service.imported(Device.self, Self.full)
        device.name = "B"
        try await device.save()
        device.name = "C"
        try await device.save(using: .mergePatch)
        #expect(
            service.stub.log == [
                #"PATCH /devices/5 [{"op":"add","path":"/data/name","value":"B"},"#
                    + #"{"op":"add","path":"/data/etag","value":"e1"}]"#,
                #"PATCH /devices/5 {"data":{"name":"C","etag":"e1"}}"#,
            ])
    }

    @Test func `A replaced embedded object loses the keys of the former one in a merge patch`() async throws {
        let service = try service(.mergePatch)
        let device = try await service.imported(Device.self, Self.full)
        let place = Place(in: service.main)
        place.zip = "2"
        device.place = place
        try await device.save()
        #expect(service.stub.log == [#"PATCH /devices/5 {"place":{"zip":"2","street":null},"etag":"e1"}"#])
    }

    @Test func `A null within JSON of the app's own is refused by a merge patch`() async throws {
        let service = try service(.mergePatch)
        let device = try await service.imported(Device.self, Self.full)
        device.extra = ["k": .null]
        await #expect {
            try await device.save()
        } throws: { error in
            guard case .unsendable("Device", "extra", let value) = error as? APIError else { return false }
            return value.contains("merge patch")
        }
        #expect(service.stub.log.isEmpty && device.hasChanges)
        device.extra = ["k": [.null]]
        try await device.save()
        #expect(service.stub.log == [#"PATCH /devices/5 {"extra":{"k":[null]},"etag":"e1"}"#])
    }

    @Test func `A key that an update mask can't name is refused`() async throws {
        let service = try service(.updateMask)
        let device = try await service.imported(Device.self, Self.full)
        device.dotted = "e"
        await #expect {
            try await device.save()
        } throws: { error in
            guard case .unsendable("Device", "dotted", let value) = error as? APIError else { return false }
            return value.contains("update mask")
        }
        #expect(service.stub.log.isEmpty)
    }

    @Test(arguments: [SaveMethod.mergePatch, .jsonPatch, .updateMask])
    func `Forms and JSON API documents have no patches`(_ method: SaveMethod) async throws {
        var form = APIConventions.rails
        form.bodies = .form
        for (conventions, word) in [(form, "forms"), (APIConventions.jsonAPI, "documents of JSON:API")] {
            let service = try Service([Gauge.self], conventions: conventions)
            let gauge = Gauge(in: service.main)
            gauge.identifier = 5
            gauge.name = "B"
            await #expect {
                try await gauge.save(using: method)
            } throws: { error in
                guard case .unencodable(let reason) = error as? APIError else { return false }
                return reason.contains(word)
            }
            #expect(service.stub.log.isEmpty)

            var declaring = conventions
            declaring.saveMethod = method
            #expect {
                _ = try Service([Gauge.self], conventions: declaring)
            } throws: { error in
                guard case .models(let problems) = error as? StoreError else { return false }
                return problems.count == 1 && problems[0].contains(word)
            }
        }
    }

    @Test func `The explanation names the format in which a save sends changes`() throws {
        let service = try service(.jsonPatch)
        #expect(service.store.explain(Device.self).contains("the body is a JSON Patch"))
    }
}
