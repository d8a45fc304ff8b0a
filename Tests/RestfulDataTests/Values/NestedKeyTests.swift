import Foundation
import RestfulData
import RestfulDataTesting
import Testing

struct License: Codable, Equatable {
    var key = ""
    var name: String?
}

@Model("/repos", key: "name")
final class LicensedRepository {
    var identifier: Int?
    var name = ""
    // Before and after the whole, as their order must not matter.
    @Attribute("license.key") var licenseKey: String?
    var license: License?
    @Attribute("license.name") var licenseName: String?
    @Attribute("stats.stars.count") var starCount: Int?
    @Attribute("stats.stars") var stars: [String: Int]?
    var stats: [String: [String: Int]]?
    @Relationship(inverse: nil) var owner: Author?
    @Attribute("owner.name") var ownerName: String?
}

/// A property with a value that is a part of another's.
@MainActor @Suite struct NestedKeyTests {
    private static let body = """
        {"id": 1, "name": "hello", "license": {"key": "mit", "name": "MIT"}, "stats": {"stars": {"count": 3}},
         "owner": {"id": 7, "name": "Ada"}}
        """

    private func service(_ saveMethod: API.SaveMethod = .patch) throws -> Service {
        try Service(
            [LicensedRepository.self] + Blog.models, saveMethod: saveMethod, stub: StubTransport { _ in .status(204) })
    }

    @Test func `An attribute for an object and attributes for its keys are both imported`() async throws {
        let repository = try await service().imported(LicensedRepository.self, Self.body)
        #expect(repository.license == License(key: "mit", name: "MIT"))
        #expect(repository.licenseKey == "mit" && repository.licenseName == "MIT")
        #expect(repository.stats == ["stars": ["count": 3]] && repository.stars == ["count": 3])
        #expect(repository.starCount == 3)
        #expect(repository.owner?.name == "Ada" && repository.ownerName == "Ada")
    }

    @Test func `A null object clears its keys, and a missing key keeps its value`() async throws {
        let service = try service()
        let repository = try await service.imported(LicensedRepository.self, Self.body)
        _ = try await service.imported(LicensedRepository.self, #"{"id": 1, "license": {"key": "apache"}}"#)
        #expect(repository.licenseKey == "apache" && repository.licenseName == "MIT")
        _ = try await service.imported(LicensedRepository.self, #"{"id": 1, "license": null, "stats": null}"#)
        #expect(repository.license == nil && repository.licenseKey == nil && repository.licenseName == nil)
        #expect(repository.stats == nil && repository.stars == nil && repository.starCount == nil)
        #expect(repository.ownerName == "Ada")
    }

    @Test func `An edited nested key is sent alone, or within its edited object`() async throws {
        let service = try service()
        let repository = try await service.imported(LicensedRepository.self, Self.body)
        repository.licenseKey = "apache"
        try await repository.save()
        repository.license = License(key: "bsd", name: "BSD")
        repository.licenseKey = "bsd-3"
        try await repository.save()
        #expect(
            service.stub.log == [
                #"PATCH /repos/hello {"license":{"key":"apache"}}"#,
                #"PATCH /repos/hello {"license":{"key":"bsd-3","name":"BSD"}}"#,
            ])
    }

    @Test func `A PUT has the edits of a whole object or of its keys`() async throws {
        let service = try service(.put)
        let repository = try await service.imported(
            LicensedRepository.self, #"{"id":1,"name":"hello","license":{"key":"mit"}}"#)
        repository.license = License(key: "bsd")
        try await repository.save()
        repository.licenseName = "BSD"
        try await repository.save()
        #expect(
            service.stub.log == [
                #"PUT /repos/hello {"id":1,"name":"hello","license":{"key":"bsd"}}"#,
                #"PUT /repos/hello {"id":1,"name":"hello","license":{"key":"mit","name":"BSD"}}"#,
            ])
    }
}
