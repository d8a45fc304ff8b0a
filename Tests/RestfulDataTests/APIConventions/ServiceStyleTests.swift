import Foundation
import RestfulData
import RestfulDataTesting
import Testing

@Model("/v1/customers")
private final class Customer {
    var identifier: String?
    var email: String?
    var name: String?
    @Attribute("address.city") var city: String?
    @Attribute("address.postal_code") var postalCode: String?
    var balance = 0
    var isDelinquent = false
    var preferredLocales: [String] = []
    @Relationship(json: "default_source") var source: Source?
}

@Model("/v1/sources")
private final class Source {
    var identifier: String?
}

@Model("/projects", key: "pathWithNamespace")
private final class Project {
    var identifier: Int?
    var pathWithNamespace = ""
    @Relationship("/projects/:path_with_namespace/merge_requests", inverse: "project") var mergeRequests: [MergeRequest]
}

@Model("/projects/:project_id/merge_requests", key: "iid")
private final class MergeRequest {
    var identifier: Int?
    var iid: Int?
    var title = ""
    var project: Project?
}

/// Services with a style assembled by hand: each is a ready-made one with some lines changed.
@MainActor @Suite struct ServiceStyleTests {
    /// Stripe: lists within `data`, pages by `has_more`, bodies as forms.
    private nonisolated static var stripe: APIConventions {
        var conventions = APIConventions.rails
        conventions.envelopes = .lists("data")
        conventions.paging = .more()
        conventions.bodies = .form
        conventions.relationships = .identitiesByName
        return conventions
    }

    /// GitLab: a project's full path is one segment, pages by a header field.
    private nonisolated static var gitLab: APIConventions {
        var conventions = APIConventions.rails
        conventions.urls.escapeSlashes = true
        conventions.paging = .pageHeader("X-Next-Page")
        conventions.saveMethod = .put
        return conventions
    }

    @Test func `Conventions of Stripe's kind page by identity and send forms`() async throws {
        let service = try Service(
            [Customer.self, Source.self], conventions: Self.stripe,
            stub: StubTransport { request in
                switch request.line {
                case "GET /v1/customers?limit=1":
                    .json(#"{"object": "list", "data": [{"id": "cus_1", "object": "customer"}], "has_more": true}"#)
                case "GET /v1/customers?limit=1&starting_after=cus_1":
                    .json(
                        #"{"object": "list", "data": [{"id": "cus_2", "default_source": "src_9"}], "has_more": false}"#)
                default: .json(#"{"id": "cus_3", "object": "customer", "email": "ada+test@example.com"}"#)
                }
            })
        let source = try await service.imported(Source.self, #"{"id": "src_9"}"#)
        let customers = try await Customer.fetchAll(query: ["limit": 1], pages: .all(), in: service.main)
        #expect(customers.map(\.identifier) == ["cus_1", "cus_2"] && customers[1].source === source)

        let customer = Customer(in: service.main)
        customer.email = "ada+test@example.com"
        customer.name = nil
        customer.city = "Münster & more"
        customer.postalCode = "1"
        customer.balance = -100
        customer.isDelinquent = true
        customer.preferredLocales = ["de", "en-GB"]
        customer.source = source
        try await customer.create()
        #expect(customer.identifier == "cus_3" && !customer.hasChanges)
        customer.preferredLocales = []
        try await customer.save()
        #expect(
            service.stub.log.suffix(2) == [
                "POST /v1/customers email=ada%2Btest%40example.com&name="
                    + "&address%5Bcity%5D=M%C3%BCnster%20%26%20more&address%5Bpostal_code%5D=1&balance=-100"
                    + "&is_delinquent=true&preferred_locales%5B%5D=de&preferred_locales%5B%5D=en-GB&default_source=src_9",
                "PATCH /v1/customers/cus_3 preferred_locales=",
            ])
        let fields = service.stub.requests.map(\.headerFields)
        #expect(
            fields.map { $0[.contentType] } == [nil, nil]
                + Array(repeating: "application/x-www-form-urlencoded", count: 2))
        #expect(fields.allSatisfy { $0[.accept] == "application/json" })
        let text = service.store.explain(Customer.self)
        #expect(text.contains(#""starting_after" with the last identity, where "has_more" is true"#))
        #expect(text.contains("application/x-www-form-urlencoded"))
    }

    @Test func `Conventions of GitLab's kind escape paths in keys and save by PUT`() async throws {
        let service = try Service(
            [Project.self, MergeRequest.self], conventions: Self.gitLab,
            stub: StubTransport { request in
                switch request.line {
                case "GET /projects/gitlab-org%2Fgitlab":
                    .json(#"{"id": 278964, "path_with_namespace": "gitlab-org/gitlab"}"#)
                case "GET /projects/gitlab-org%2Fgitlab/merge_requests":
                    .json(
                        #"[{"id": 1, "iid": 1, "project_id": 278964}]"#, headerFields: [.init("X-Next-Page")!: "2"])
                case "GET /projects/gitlab-org%2Fgitlab/merge_requests?page=2":
                    .json(
                        #"[{"id": 2, "iid": 2, "title": "B", "project_id": 278964}]"#,
                        headerFields: [.init("X-Next-Page")!: ""])
                default: .status(204)
                }
            })
        let project = try await Project.fetch(key: "gitlab-org/gitlab", in: service.main)
        let requests = try await project.$mergeRequests.fetch(pages: .all())
        #expect(requests.map(\.iid) == [1, 2] && requests.allSatisfy { $0.project === project })
        requests[1].title = "C"
        try await requests[1].save()
        #expect(service.stub.log.last?.hasPrefix("PUT /projects/278964/merge_requests/2 {") == true)
    }

    @Test func `Documents of JSON:API can't be sent as forms`() {
        var conventions = APIConventions.jsonAPI
        conventions.bodies = .form
        do {
            _ = try Service([Source.self], conventions: conventions)
            Testing.Issue.record("opened")
        } catch StoreError.models(let problems) {
            #expect(problems == ["the API's conventions write bodies as forms, but JSON:API documents are JSON"])
        } catch {
            Testing.Issue.record("\(error)")
        }
    }

    @Model(embedded: true) final class Part {
        var extra: JSONValue?
        var part: Part?
    }

    @Model("/wholes") final class Whole {
        var identifier: Int?
        var part: Part?
        var note = ""
    }

    @Test func `A value nested too deeply for a form is refused`() async throws {
        var conventions = APIConventions.rails
        conventions.bodies = .form
        let service = try Service([Whole.self, Part.self], conventions: conventions)
        let whole = Whole(in: service.main)
        whole.note = "behind it"
        var part = Part(in: service.main)
        whole.part = part
        for _ in 1...30 {
            let inner = Part(in: service.main)
            part.part = inner
            part = inner
        }
        part.extra = (1...490).reduce(JSONValue.null) { value, _ in ["key": value] }
        await #expect {
            try await whole.create()
        } throws: { error in
            if case .unsendable("Whole", let property, _) = error as? APIError {
                property.hasPrefix("part")
            } else {
                false
            }
        }
        #expect(service.stub.log.isEmpty)
    }
}
