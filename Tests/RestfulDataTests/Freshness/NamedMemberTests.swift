import Foundation
import HTTPTypes
import RestfulData
import RestfulDataTesting
import Testing

/// An answer that names the members of a list by their identity confirms only the list.
@MainActor @Suite struct NamedMemberTests {
    @Model("/stories") final class Story {
        var identifier: Int?
        @Relationship("/stories/:id/notes", inverse: "story") var notes: [Note]
        @Relationship("/stories/:id/topics", inverse: "stories") var topics: [Topic]
    }

    @Model("/notes") final class Note {
        var identifier: Int?
        var text = ""
        var story: Story?
    }

    @Model("/topics") final class Topic {
        var identifier: Int?
        var name = ""
        var stories: [Story]
    }

    private nonisolated static let story = #"{"id": 1, "note_ids": [7, 8], "topic_ids": [3, 4]}"#

    /// The change of a member, and whether the stored list still equals the server's answer.
    enum Happening: String, CaseIterable {
        case nothing, text, otherNote, otherTopic, topicName
        case link, linkOfNew, noLink, list, nestedInOther, otherStory, edit, editedList, deletion, serversDeletion
        case member, added, topicLists, topicEdit, topicDeletion

        var isIntact: Bool { [.nothing, .text, .otherNote, .otherTopic, .topicName].contains(self) }
    }

    @Test(arguments: Happening.allCases)
    func `An answer that names members is revalidated only while they stay as named`(_ happening: Happening)
        async throws
    {
        let stub = StubTransport { request throws(TransportError) in
            switch request.line {
            case "GET /stories/1":
                request.headerFields[.ifNoneMatch] == nil
                    ? .json(Self.story, headerFields: [.eTag: "\"e\""]) : .status(304)
            case "GET /stories/2/notes": .json(#"[{"id": 7}]"#)
            case "GET /notes/7": .json(#"{"id": 7, "story_id": 2}"#)
            default: .status(204)
            }
        }
        let service = try Service([Story.self, Note.self, Topic.self], stub: stub)
        let main = service.main
        func imported<M: Model>(_ type: M.Type, _ json: String) async throws {
            _ = try await service.imported(type, json)
        }
        let other = try await service.imported(Story.self, #"{"id": 2}"#)
        try await imported(Note.self, #"[{"id": 7, "text": "a"}, {"id": 8}, {"id": 9}]"#)
        try await imported(Topic.self, #"[{"id": 3}, {"id": 4}, {"id": 5}]"#)
        let story = try await Story.fetch(key: 1, in: main)
        #expect(story.notes.map(\.identifier) == [7, 8] && story.topics.map(\.identifier) == [3, 4])
        let (note, topic) = (story.notes[0], story.topics[0])
        switch happening {
        case .nothing: break
        case .text: try await imported(Note.self, #"{"id": 7, "text": "b"}"#)
        case .otherNote: try await imported(Note.self, #"{"id": 9, "text": "b"}"#)
        case .otherTopic: try await imported(Topic.self, #"{"id": 5, "story_ids": [2]}"#)
        case .topicName: try await imported(Topic.self, #"{"id": 3, "name": "b"}"#)
        case .link: try await imported(Note.self, #"{"id": 7, "story_id": 2}"#)
        case .linkOfNew: try await imported(Note.self, #"{"id": 7, "story_id": 99}"#)
        case .noLink: try await imported(Note.self, #"{"id": 7, "story_id": null}"#)
        case .list: try await imported(Story.self, #"{"id": 2, "note_ids": [7]}"#)
        case .nestedInOther: try await imported(Story.self, #"{"id": 2, "notes": [{"id": 7}]}"#)
        case .otherStory: try await imported(Note.self, #"{"id": 7, "story": {"id": 12}}"#)
        case .edit:
            note.story = other
            try await main.save()
        case .editedList:
            other.notes = [note]
            try await main.save()
        case .deletion:
            main.delete(note)
            try await main.save()
        case .serversDeletion: try await note.delete()
        case .member: _ = try await other.$notes.fetch()
        case .added: try await other.$notes.add(note)
        case .topicLists: try await imported(Topic.self, #"{"id": 3, "story_ids": [2]}"#)
        case .topicEdit:
            topic.stories = [other]
            try await main.save()
        case .topicDeletion:
            main.delete(topic)
            try await main.save()
        }
        stub.forgetRequests()
        try await story.fetch(.ifOlder(than: .seconds(1000)))
        #expect(stub.log == (happening.isIntact ? [] : ["GET /stories/1"]))
        #expect(stub.requests.allSatisfy { $0.headerFields[.ifNoneMatch] == nil })
        guard happening.isIntact else { return }
        try await story.fetch()
        #expect(stub.requests.map { $0.headerFields[.ifNoneMatch] } == ["\"e\""])
    }

    @Test func `A pending member that names another owner invalidates the answer`() async throws {
        let stub = StubTransport { request throws(TransportError) in
            request.headerFields[.ifNoneMatch] == nil
                ? .json(Self.story, headerFields: [.eTag: "\"e\""]) : .status(304)
        }
        let service = try Service([Story.self, Note.self, Topic.self], stub: stub)
        _ = try await service.imported(Story.self, #"{"id": 2}"#)
        let story = try await Story.fetch(key: 1, in: service.main)
        _ = try await service.imported(Note.self, #"{"id": 7, "story_id": 2}"#)
        #expect(story.notes.isEmpty)
        stub.forgetRequests()
        try await story.fetch()
        #expect(stub.requests.map { $0.headerFields[.ifNoneMatch] } == [nil])
    }
}
