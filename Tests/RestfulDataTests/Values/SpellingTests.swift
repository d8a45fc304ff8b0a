import Foundation
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

@Model("/media")
final class Medium {
    var identifier: Int?
    var mediaType: String?
    var image24: String?
    var custom404: Bool?
    var createdAt: String?
    @Relationship(inverse: nil, sentAs: .identitiesByName) var coverImage: Medium?
    @Relationship(inverse: nil, sentAs: .nested) var relatedMedia: [Medium]
    @Relationship(inverse: nil) var thumbnail: Medium?
    @Relationship(inverse: nil) var parts: [Medium]
}

@Model("/clips", resourceType: "clips")
final class Clip {
    var identifier: Int?
    var mediaType: String?
    var image24: String?
    var createdAt: String?
    @Relationship(inverse: nil) var coverImage: Clip?
}

/// Names are sent as received.
@MainActor @Suite struct SpellingTests {
    private func service(
        _ location: Store.Location = .temporary, conventions: APIConventions = .default
    ) throws -> Service {
        try Service(
            [Medium.self], conventions: conventions, location: location, stub: StubTransport { _ in .status(204) })
    }

    private static let odd = """
        {"id": 1, "mediaType": "png", "image_24": "a", "custom_404": true, "created_at": "x", "coverImage": {"id": 2},
         "RelatedMedia": []}
        """

    private func edit(_ medium: Medium) {
        medium.mediaType = "gif"
        medium.image24 = "b"
        medium.custom404 = false
        medium.createdAt = "y"
    }

    @Test func `The explanation has the server's spelling of a key`() async throws {
        let service = try service()
        let names = { (explanation: Explanation?) in
            (explanation?.attributes.filter { $0.notes.joined().contains("goes out as") } ?? []).map(\.name)
        }
        #expect(names(service.store.explanation(of: Medium.self)) == [])
        let medium = try await service.imported(Medium.self, Self.odd)
        _ = medium
        let explanation = try #require(service.store.explanation(of: Medium.self))
        #expect(names(explanation) == ["mediaType", "image24", "custom404"])
        #expect(service.store.explain(Medium.self).contains(#"goes out as "image_24", as the server has spelt it"#))
        #expect(
            explanation.relationships.first { $0.name == "coverImage" }?.sending == #"sent as "coverImage" by identity"#
        )
    }

    @Test func `Each key is sent as the server spells it`() async throws {
        let service = try service()
        let medium = try await service.imported(Medium.self, Self.odd)
        edit(medium)
        medium.coverImage = medium
        try await medium.save()
        #expect(
            service.stub.log == [
                #"PATCH /media/1 {"mediaType":"gif","image_24":"b","custom_404":false,"created_at":"y","coverImage":1}"#
            ])
    }

    @Test func `Keys of nested and new objects are sent as the server spells them`() async throws {
        let service = try service()
        let medium = try await service.imported(Medium.self, Self.odd)
        medium.relatedMedia = [medium]
        try await medium.save()
        let new = Medium(in: service.main)
        new.image24 = "c"
        try await new.create()
        #expect(
            service.stub.log == [
                #"PATCH /media/1 {"RelatedMedia":[{"id":1,"mediaType":"png","image_24":"a","custom_404":true,"created_at":"x"}]}"#,
                #"POST /media {"image_24":"c"}"#,
            ])
    }

    @Test func `Keys of embedded objects are read and sent as the server spells them`() async throws {
        let service = try Service([Frame.self, FrameSize.self], stub: StubTransport { _ in .status(204) })
        let frame = try await service.imported(
            Frame.self,
            #"{"id": 1, "size": {"depth_16": 2, "width": 1}, "otherSizes": [{"depth_16": 3}, {"width": 4, "depth_16": 5}]}"#
        )
        #expect(frame.size?.depth16 == 2 && frame.otherSizes.map(\.depth16) == [3, 5])
        frame.size?.depth16 = 6
        try await frame.save()
        let report = try await service.main.importReporting(
            Frame.self, from: Array(#"{"id": 1, "size": {"depth_16": 8, "depth16": 7, "width": 1}}"#.utf8))
        #expect(frame.size?.depth16 == 7 && report.mismatched.map(\.path) == ["size.depth16"])
        #expect(service.stub.log == [#"PATCH /frames/1 {"size":{"width":1,"depth_16":6}}"#])
    }

    @Model("/frames") final class Frame {
        var identifier: Int?
        var size: FrameSize?
        var otherSizes: [FrameSize]
    }

    @Model(embedded: true) final class FrameSize {
        var width: Int?
        var depth16: Int?
    }

    @Test func `Keys of identities are sent as the server spells them`() async throws {
        let service = try service()
        let medium = try await service.imported(Medium.self, #"{"id": 1, "thumbnailId": 1, "partIds": [1]}"#)
        #expect(medium.thumbnail === medium && medium.parts.count == 1)
        medium.thumbnail = nil
        medium.parts = []
        try await medium.save()
        let report = try await service.main.import(
            Medium.self, from: Array(#"{"id": 1, "thumbnail_id": 1, "thumbnailId": null}"#.utf8)
        ).report
        #expect(medium.thumbnail === medium && report.mismatched.map(\.path) == ["thumbnail"])
        medium.thumbnail = nil
        try await medium.save()
        #expect(
            service.stub.log == [
                #"PATCH /media/1 {"thumbnailId":null,"partIds":[]}"#, #"PATCH /media/1 {"thumbnail_id":null}"#,
            ])
    }

    @Test func `The server's spelling of keys survives a restart`() async throws {
        let file = try TemporaryFile()
        do { _ = try await service(.file(file.path)).imported(Medium.self, Self.odd) }
        let service = try service(.file(file.path))
        let medium = try #require(try service.main.find(Medium.self, 1))
        medium.image24 = "b"
        try await medium.save()
        #expect(service.stub.log == [#"PATCH /media/1 {"image_24":"b"}"#])
    }

    @Test func `A server that returns to the conventions' spelling is followed`() async throws {
        let service = try service()
        let medium = try await service.imported(Medium.self, Self.odd)
        _ = try await service.imported(Medium.self, #"{"id": 1, "image24": "a"}"#)
        _ = try await service.imported(Medium.self, #"{"id": 1, "media_type": "png", "mediaType": "jpeg"}"#)
        edit(medium)
        try await medium.save()
        #expect(
            service.stub.log == [
                #"PATCH /media/1 {"media_type":"gif","image24":"b","custom_404":false,"created_at":"y"}"#
            ])
    }

    @Test func `A server that returns to the conventions' spelling with space before the colon is followed`()
        async throws
    {
        let service = try service()
        let medium = try await service.imported(Medium.self, Self.odd)
        _ = try await service.imported(Medium.self, #"{ "id" : 1, "image24" : "a" }"#)
        medium.image24 = "b"
        try await medium.save()
        #expect(service.stub.log == [#"PATCH /media/1 {"image24":"b"}"#])
    }

    @Test func `A JSON:API document is sent in the server's spelling`() async throws {
        let service = try Service([Clip.self], conventions: .jsonAPI, stub: StubTransport { _ in .status(204) })
        let clip = try await service.imported(
            Clip.self,
            """
            {"data": {"type": "clips", "id": "1", "attributes": {"media_type": "png", "image-24": "a", "createdAt": "x"},
             "relationships": {"cover_image": {"data": null}}}}
            """)
        clip.mediaType = "gif"
        clip.image24 = "b"
        clip.createdAt = "y"
        clip.coverImage = clip
        try await clip.save()
        #expect(
            service.stub.log == [
                #"PATCH /clips/1 {"data":{"type":"clips","id":"1","attributes":{"media_type":"gif","image-24":"b","#
                    + #""createdAt":"y"},"relationships":{"cover_image":{"data":{"type":"clips","id":"1"}}}}}"#
            ])
    }
}
