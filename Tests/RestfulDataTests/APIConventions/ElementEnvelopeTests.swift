import RestfulData
import RestfulDataTesting
import Testing

@Model("/Patient")
private final class BundledPatient {
    var identifier: String?
    var gender: String?
    @Relationship("/Patient/:id/Practitioner", inverse: nil) var practitioners: [BundledPractitioner]
}

@Model("/Practitioner")
private final class BundledPractitioner {
    var identifier: String?
    var gender: String?
}

@Model("/plain", envelope: .none)
private final class Plain {
    var identifier: Int?
    var resource: JSONValue?
}

/// Envelopes of each element of a list, and lists with objects of several types.
@MainActor @Suite struct ElementEnvelopeTests {
    private func service(
        _ conventions: APIConventions, _ replies: [String: StubTransport.Reply]
    ) throws -> Service {
        try Service(
            [BundledPatient.self, BundledPractitioner.self, Plain.self], conventions: conventions, replies: replies)
    }

    private var wrapped: APIConventions {
        var conventions = APIConventions.rails
        conventions.envelopes = APIConventions.Envelopes(list: ["data"], element: "node.resource")
        return conventions
    }

    @Test func `Objects are read from within envelopes of elements`() async throws {
        let service = try service(
            wrapped,
            [
                "GET /Patient": .json(
                    """
                    {"data": [{"cursor": "a", "node": {"score": 1, "resource": {"id": "1", "gender": "female"}}},
                              {"id": "2", "gender": "male"}], "total": 2}
                    """)
            ])
        let patients = try await BundledPatient.fetchAll(in: service.main)
        #expect(patients.map(\.identifier) == ["1", "2"] && patients.map(\.gender) == ["female", "male"])
    }

    @Test func `An element without an object is rejected with its path`() async throws {
        let service = try service(
            wrapped, ["GET /Patient": .json(#"{"data": [{"node": {"resource": 7}}, {"node": {}}, {"id": "1"}]}"#)])
        let found = try await BundledPatient.fetchAllReporting(in: service.main)
        let (patients, report) = (found.objects, found.report)
        #expect(patients.map(\.identifier) == ["1"])
        #expect(report.rejected.map(\.path) == ["data[0].node.resource", "data[1]"])
    }

    @Test func `A Bundle's resources of other types are stored but aren't members`() async throws {
        let service = try service(
            .fhir,
            [
                "GET /Patient?_include=Patient": .json(
                    """
                    {"resourceType": "Bundle", "total": 1, "entry": [
                        {"resource": {"resourceType": "Patient", "id": "1"}, "search": {"mode": "match"}},
                        {"resource": {"resourceType": "Practitioner", "id": "1", "gender": "other"},
                         "search": {"mode": "include"}},
                        {"resource": {"resourceType": "OperationOutcome", "id": "o"}, "search": {"mode": "outcome"}}]}
                    """)
            ])
        let found = try await BundledPatient.fetchAllReporting(query: ["_include": "Patient"], in: service.main)
        let (patients, report) = (found.objects, found.report)
        #expect(patients.map(\.identifier) == ["1"] && patients[0].gender == nil)
        #expect(try service.main.find(BundledPractitioner.self, "1")?.gender == "other")
        #expect(report.rejected.map(\.reason) == [.otherType(found: "OperationOutcome")])
        #expect(report.rejected.map(\.path) == ["entry[2].resource"])
    }

    @Test func `A list with resources of other types unlinks no member`() async throws {
        let page = #"{"resourceType": "Bundle", "entry": [{"resource": {"resourceType": "Practitioner", "id": "1"}}"#
        let other = #", {"resource": {"resourceType": "Patient", "id": "9"}}]}"#
        let second = #", {"resource": {"resourceType": "Practitioner", "id": "2"}}]}"#
        let replies = Box([page + second, page + other, page + "]}"])
        let service = try Service(
            [BundledPatient.self, BundledPractitioner.self], conventions: .fhir,
            stub: StubTransport { _ in .json(replies.value.removeFirst()) })
        let patient = try await service.imported(BundledPatient.self, #"{"resourceType": "Patient", "id": "1"}"#)
        #expect(try await patient.$practitioners.fetch().count == 2)
        #expect(try await patient.$practitioners.fetch().map(\.identifier) == ["1"])
        #expect(patient.practitioners.map(\.identifier) == ["1", "2"])
        #expect(try await patient.$practitioners.fetch().count == 1)
        #expect(patient.practitioners.map(\.identifier) == ["1"])
    }

    @Test func `A resource of another type doesn't answer a fetch of one object`() async throws {
        let service = try service(
            .fhir, ["GET /Patient/1": .json(#"{"resourceType": "OperationOutcome", "id": "1", "gender": "male"}"#)])
        await #expect {
            _ = try await BundledPatient.fetch(key: "1", in: service.main)
        } throws: { error in
            guard case .noObject("BundledPatient", let report, _) = error as? APIError else { return false }
            return report.rejected.first?.reason == .otherType(found: "OperationOutcome")
        }
        #expect(try service.main.find(BundledPatient.self, "1") == nil)
    }

    @Test func `A missing member is deleted if the whole list's elements lack it`() async throws {
        let bundle =
            #"{"resourceType": "Bundle", "entry": [{"resource": {"resourceType": "Practitioner", "id": "2"}}]}"#
        let service = try service(
            .fhir,
            [
                "DELETE /Patient/1/Practitioner/1": .status(404), "DELETE /Patient/1/Practitioner/2": .status(404),
                "GET /Patient/1/Practitioner": .json(bundle),
            ])
        let patient = try await service.imported(BundledPatient.self, #"{"resourceType": "Patient", "id": "1"}"#)
        let gone = try await service.imported(BundledPractitioner.self, #"{"resourceType": "Practitioner", "id": "1"}"#)
        let kept = try await service.imported(BundledPractitioner.self, #"{"resourceType": "Practitioner", "id": "2"}"#)
        try await patient.$practitioners.delete(gone)
        await #expect(throws: APIError.self) { try await patient.$practitioners.delete(kept) }
    }

    @Test func `A model without an envelope reads elements as they are`() async throws {
        let service = try service(wrapped, ["GET /plain": .json(#"[{"id": 1, "resource": {"a": 1}}]"#)])
        #expect(try await Plain.fetchAll(in: service.main).first?.resource == ["a": 1])
    }

    @Test func `The explanation has the element's envelope and the type`() throws {
        let service = try service(.fhir, [:])
        let text = service.store.explain(BundledPatient.self)
        #expect(text.contains("an element of a list") && text.contains(#""Patient" at "resourceType""#))
    }

    @Test func `An element's envelope with an empty key is refused`() {
        var conventions = APIConventions.rails
        conventions.envelopes.element = "a..b"
        #expect {
            _ = try service(conventions, [:])
        } throws: { error in
            guard case .models(let problems) = error as? StoreError else { return false }
            return problems.contains { $0.contains("empty key") }
        }
    }
}
