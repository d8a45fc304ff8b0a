import Foundation
import HTTPTypes
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

@Model("/tickets")
final class WholeTicket {
    var identifier: Int?
    var isRead = false
    var note: String?
    @Attribute("state_text", sentKey: "state") var state = ""
    @Attribute(access: .readOnly) var rank = 0
    @Relationship("/tickets/:id/labels", inverse: nil, sentAs: .key("name")) var labels: [WholeLabel]
    @Relationship("/tickets/:id/watchers", inverse: nil) var watchers: [WholeWatcher]
    @Relationship("/tickets/:id/fans", inverse: nil, merges: true) var fans: [WholeWatcher]
    @Relationship("/tickets/:id/files", inverse: nil, removal: .deletes) var files: [WholeFile]
    @Relationship(inverse: "ticket") var remarks: [WholeRemark]
}

@Model("/files")
final class WholeFile {
    var identifier: Int?
}

@Model("/labels")
final class WholeLabel {
    var identifier: Int?
    var name = ""
}

@Model("/watchers")
final class WholeWatcher {
    var identifier: Int?
    var name = ""
}

@Model("/tickets/:ticket.id/remarks", identity: "ticket", "number")
final class WholeRemark {
    var number: Int?
    var text = ""
    var ticket: WholeTicket?
}

@Model("/tickets")
final class WholeResource {
    var identifier: Int?
    @Relationship("/tickets/:id/watchers", inverse: nil) var watchers: [WholeWatcher]
}

@Model("/drafts")
final class WholeDraft {
    var id = UUID()
    var isRead = false
}

/// Requests that replace or remove the whole of a list, and that set an attribute of a whole collection.
@MainActor @Suite struct WholeListChangeTests {
    private static let models: [any Model.Type] = [
        WholeTicket.self, WholeLabel.self, WholeWatcher.self, WholeRemark.self, WholeFile.self,
    ]
    private static let ticket = """
        {"id": 1, "labels": [{"id": 1, "name": "bug"}, {"id": 2, "name": "ui"}], "watchers": [{"id": 5}, {"id": 6}],
         "remarks": [{"number": 1, "text": "a"}, {"number": 2, "text": "b"}]}
        """

    private func service(_ reply: StubTransport.Reply = .status(204)) throws -> Service {
        try Service(Self.models, stub: StubTransport { _ in reply })
    }

    private func ticket(_ service: Service) async throws -> WholeTicket {
        try await service.imported(WholeTicket.self, Self.ticket)
    }

    @Test func `One PUT replaces a list's members in the relationship's own format`() async throws {
        let service = try service()
        let ticket = try await ticket(service)
        let urgent = try await service.imported(WholeLabel.self, #"{"id": 3, "name": "urgent"}"#)
        try await ticket.$labels.replaceAll(with: [urgent, ticket.labels[0], urgent])
        #expect(ticket.labels.map(\.name) == ["urgent", "bug"] && ticket.unsentProperties.isEmpty)
        let watcher = try await service.imported(WholeWatcher.self, #"{"id": 7, "name": "Ada"}"#)
        try await ticket.$watchers.replaceAll(with: [watcher])
        #expect(ticket.watchers.map(\.identifier) == [7] && watcher.name == "Ada")
        try await ticket.$watchers.replaceAll(with: [])
        #expect(ticket.watchers.isEmpty)
        #expect(
            service.stub.log == [
                #"PUT /tickets/1/labels {"labels":["urgent","bug"]}"#, #"PUT /tickets/1/watchers {"watcher_ids":[7]}"#,
                #"PUT /tickets/1/watchers {"watcher_ids":[]}"#,
            ])
    }

    @Test func `A list in the reply to a replacement becomes the membership`() async throws {
        let service = try service(.json(#"[{"id": 2, "name": "interface"}, {"id": 9, "name": "auto"}]"#))
        let ticket = try await ticket(service)
        try await ticket.$labels.replaceAll(with: [ticket.labels[1]])
        #expect(ticket.labels.map(\.name) == ["interface", "auto"])
    }

    @Test(arguments: [StubTransport.Reply.status(204), .json(#"[{"id": 5}]"#)])
    func `A list that merges is replaced and emptied as well`(_ reply: StubTransport.Reply) async throws {
        let service = try service(reply)
        let ticket = try await service.imported(WholeTicket.self, #"{"id": 1, "fans": [{"id": 5}, {"id": 6}]}"#)
        try await ticket.$fans.replaceAll(with: [ticket.fans[0]])
        #expect(ticket.fans.map(\.identifier) == [5])
        try await ticket.$fans.deleteAll()
        #expect(ticket.fans.isEmpty)
    }

    @Test(arguments: [
        #"[1]"#, #"["bug"]"#, #"[{"name": "bug"}]"#, #"{"labels": [{"id": 1}], "has_more": true}"#,
    ])
    func `Former members leave, even if the reply isn't the list with all members`(_ body: String) async throws {
        let service = try service(.json(body))
        let ticket = try await ticket(service)
        try await ticket.$labels.replaceAll(with: [ticket.labels[0]])
        #expect(ticket.labels.map(\.name) == ["bug"])
    }

    @Test func `A reply with all members is no page, also where pages have numbers`() async throws {
        var conventions = APIConventions.default
        conventions.paging = .pageNumber()
        let stub = StubTransport { _ in .json(#"[{"id": 1, "name": "fault"}]"#) }
        let service = try Service(Self.models, conventions: conventions, stub: stub)
        let ticket = try await ticket(service)
        try await ticket.$labels.replaceAll(with: [ticket.labels[0]])
        #expect(ticket.labels.map(\.name) == ["fault"])
    }

    @Test func `A reply that leads to a next page isn't the whole list`() async throws {
        var fields = HTTPFields()
        if let link = HTTPField.Name("Link") {
            fields[link] = #"<https://api.example.com/tickets/1/labels?page=2>; rel="next""#
        }
        let service = try service(.json(#"[{"id": 1, "name": "bug"}]"#, headerFields: fields))
        let ticket = try await ticket(service)
        let third = try await service.imported(WholeLabel.self, #"{"id": 3, "name": "third"}"#)
        try await ticket.$labels.replaceAll(with: [ticket.labels[0], third])
        #expect(ticket.labels.map(\.name) == ["bug", "third"])
    }

    @Test func `A list in the body of a 202 is about the server's work, and never the membership`() async throws {
        let service = try service(.json("[]", status: 202))
        let ticket = try await ticket(service)
        try await ticket.$labels.replaceAll(with: [ticket.labels[1]])
        #expect(ticket.labels.map(\.name) == ["ui"])
    }

    @Test func `A replacement overrides earlier edits of a list and keeps later ones`() async throws {
        let held = HeldTransport()
        let store = try Store(
            .temporary, models: Self.models, api: API("https://api.example.com", transport: held))
        let ticket = try await store.imported(WholeTicket.self, Self.ticket)
        let (bug, interface) = (ticket.labels[0], ticket.labels[1])
        let third = try await store.imported(WholeLabel.self, #"{"id": 3, "name": "third"}"#)
        ticket.labels.append(third)
        try await store.main.save()
        ticket.labels.removeAll { $0 === bug }
        let replacement = Task { try await ticket.$labels.replaceAll(with: [bug, interface]) }
        await held.wait(for: 1)
        ticket.labels.append(try await store.imported(WholeLabel.self, #"{"id": 4, "name": "late"}"#))
        held.answer(0, .status(204))
        try await replacement.value
        #expect(ticket.labels.map(\.name).contains("late") && ticket.labels.map(\.name).contains("bug"))
        #expect(!ticket.labels.map(\.name).contains("third"))
        #expect(!ticket.unsentProperties.isEmpty)
    }

    @Test func `A refused replacement of a list changes nothing`() async throws {
        let service = try service(.json(#"{"message": "no"}"#, status: 403))
        let ticket = try await ticket(service)
        ticket.labels.removeLast()
        await #expect(throws: APIError.self) { try await ticket.$labels.replaceAll(with: []) }
        #expect(ticket.labels.map(\.name) == ["bug"] && !ticket.unsentProperties.isEmpty)
    }

    @Test func `A replacement with a new object is refused before anything is sent`() async throws {
        let service = try service()
        let ticket = try await ticket(service)
        await #expect {
            try await ticket.$labels.replaceAll(with: [WholeLabel(in: service.main)])
        } throws: { error in
            guard case APIError.notYetCreated(model: "WholeLabel") = error else { return false }
            return true
        }
        #expect(service.stub.log.isEmpty)
    }

    @Test func `A member that is deleted while the replacement waits is refused before it is sent`() async throws {
        let held = HeldTransport()
        let store = try Store(
            .temporary, models: Self.models, api: API("https://api.example.com", transport: held))
        let ticket = try await store.imported(WholeTicket.self, Self.ticket)
        let bug = ticket.labels[0]
        ticket.isRead = true
        let save = Task { try await ticket.save() }
        await held.wait(for: 1)
        let replacement = Task { try await ticket.$labels.replaceAll(with: [bug]) }
        await giveWay()
        store.main.delete(bug)
        held.answer(1, .status(204))
        held.answer(0, .status(204))
        try await save.value
        await #expect {
            try await replacement.value
        } throws: { error in
            guard case APIError.store(.deletedObject(model: "WholeLabel")) = error else { return false }
            return true
        }
        #expect(held.log == [#"PATCH /tickets/1 {"is_read":true}"#])
    }

    @Test func `One DELETE at another URL unlinks all members of a list`() async throws {
        let service = try service()
        let ticket = try await ticket(service)
        let label = ticket.labels[0]
        try await ticket.$labels.deleteAll()
        #expect(ticket.labels.isEmpty && !label.isDeleted)
        #expect(service.stub.log == ["DELETE /tickets/1/labels"])
    }

    @Test func `One DELETE at a derived route deletes all members without edits`() async throws {
        let service = try service()
        let ticket = try await ticket(service)
        let (gone, edited) = (ticket.remarks[0], ticket.remarks[1])
        edited.text = "mine"
        try await ticket.$remarks.deleteAll()
        #expect(gone.isDeleted && !edited.isDeleted)
        #expect(service.stub.log == ["DELETE /tickets/1/remarks"])
    }

    @Test func `A member that was added here and not sent stays when the server's members are deleted`() async throws {
        let service = try service()
        let ticket = try await service.imported(WholeTicket.self, #"{"id": 1, "files": [{"id": 8}]}"#)
        let gone = ticket.files[0]
        let added = try await service.imported(WholeFile.self, #"{"id": 9}"#)
        ticket.files.append(added)
        try await service.main.save()
        try await ticket.$files.deleteAll()
        #expect(gone.isDeleted && !added.isDeleted)
        #expect(service.stub.log == ["DELETE /tickets/1/files"])
    }

    @Test func `A DELETE with a query of its own leaves the list as it is here`() async throws {
        let service = try service()
        let ticket = try await ticket(service)
        try await ticket.$labels.deleteAll { $0.query["color"] = "red" }
        try await ticket.$remarks.deleteAll { $0.query["limit"] = 1 }
        #expect(ticket.labels.count == 2 && ticket.remarks.count == 2)
        #expect(service.stub.log == ["DELETE /tickets/1/labels?color=red", "DELETE /tickets/1/remarks?limit=1"])
    }

    @Test func `JSON:API replaces and removes linkage by PATCH`() async throws {
        let stub = StubTransport { _ in .status(204) }
        let store = try Store(
            .temporary, models: [WholeResource.self, WholeWatcher.self],
            api: API("https://api.example.com", conventions: .jsonAPI, transport: stub))
        let ticket = try await store.imported(
            WholeResource.self, #"{"data": {"type": "tickets", "id": "1", "attributes": {}}}"#)
        let watcher = try await store.imported(
            WholeWatcher.self, #"{"data": {"type": "watchers", "id": "7", "attributes": {"name": "Ada"}}}"#)
        try await ticket.$watchers.replaceAll(with: [watcher])
        #expect(ticket.watchers.map(\.name) == ["Ada"])
        try await ticket.$watchers.deleteAll()
        #expect(ticket.watchers.isEmpty)
        #expect(
            stub.log == [
                #"PATCH /tickets/1/relationships/watchers {"data":[{"type":"watchers","id":"7"}]}"#,
                #"PATCH /tickets/1/relationships/watchers {"data":[]}"#,
            ])
    }

    @Test func `A replaced membership is known after a restart`() async throws {
        let file = try TemporaryFile()
        let api = API("https://api.example.com", transport: StubTransport { _ in .status(204) })
        do {
            let store = try Store(.file(file.path), models: Self.models, api: api)
            let ticket = try await store.imported(WholeTicket.self, Self.ticket)
            try await ticket.$labels.replaceAll(with: [ticket.labels[1]])
            let names = try await store.background { try $0.query(WholeTicket.self).first()?.labels.map(\.name) }
            #expect(names == ["ui"])
            store.close()
        }
        let store = try Store(.file(file.path), models: Self.models, api: api)
        #expect(try store.main.query(WholeTicket.self).first()?.labels.map(\.name) == ["ui"])
    }

    // MARK: Collections

    @Test func `One request updates an attribute of all objects that the server knows`() async throws {
        let service = try service()
        let ticket = try await ticket(service)
        let other = try await service.imported(WholeTicket.self, #"{"id": 2}"#)
        let edited = try await service.imported(WholeTicket.self, #"{"id": 3, "is_read": true}"#)
        edited.isRead = false
        let new = WholeTicket(in: service.main)
        try await WholeTicket.updateAll(\.isRead, to: true, in: service.main)
        #expect(ticket.isRead && other.isRead && !edited.isRead && !new.isRead)
        #expect(ticket.unsentProperties.isEmpty && !edited.unsentProperties.isEmpty)
        #expect(ticket.labels.count == 2 && ticket.remarks.count == 2)
        try await WholeTicket.updateAll(\.state, to: "done", in: service.main)
        #expect(ticket.state == "done")
        #expect(
            service.stub.log == [#"PATCH /tickets {"is_read":true}"#, #"PATCH /tickets {"state":"done"}"#])
    }

    @Test func `An optional attribute is set for the whole collection, also to nil`() async throws {
        let service = try service()
        let ticket = try await ticket(service)
        let (seen, none): (String?, String?) = ("seen", nil)
        try await WholeTicket.updateAll(\.note, to: seen, in: service.main)
        #expect(ticket.note == "seen")
        try await WholeTicket.updateAll(\.note, to: none, in: service.main)
        #expect(ticket.note == nil && ticket.unsentProperties.isEmpty)
        #expect(service.stub.log == [#"PATCH /tickets {"note":"seen"}"#, #"PATCH /tickets {"note":null}"#])
    }

    private func updating(_ method: API.SaveMethod, isWrapped: Bool = false) async throws -> [String] {
        var conventions = APIConventions.default
        if isWrapped { conventions.envelopes = .byName }
        let stub = StubTransport { _ in .status(204) }
        let api = API("https://api.example.com", conventions: conventions, saveMethod: method, transport: stub)
        let store = try Store(.temporary, models: Self.models, api: api)
        try await WholeTicket.updateAll(\.isRead, to: true, in: store.main)
        return stub.log
    }

    @Test func `A collection's update has the format and the envelope of the model's saves`() async throws {
        #expect(try await updating(.mergePatch) == [#"PATCH /tickets {"is_read":true}"#])
        #expect(try await updating(.put) == [#"PUT /tickets {"is_read":true}"#])
        #expect(try await updating(.updateMask) == [#"PATCH /tickets?updateMask=is_read {"is_read":true}"#])
        #expect(try await updating(.patch, isWrapped: true) == [#"PATCH /tickets {"whole_ticket":{"is_read":true}}"#])
    }

    @Test func `A format that is about one object is refused for a collection, unless the call has a body`()
        async throws
    {
        for (method, conventions) in [(API.SaveMethod.jsonPatch, APIConventions.default), (.patch, .jsonAPI)] {
            let stub = StubTransport { _ in .status(204) }
            let api = API("https://api.example.com", conventions: conventions, saveMethod: method, transport: stub)
            let store = try Store(.temporary, models: [WholeDraft.self], api: api)
            let error = await failure { try await WholeDraft.updateAll(\.isRead, to: true, in: store.main) }
            guard case .unencodable(let reason) = error else { return #expect(Bool(false), "\(error as Any)") }
            #expect(reason.contains("not about all") && stub.log.isEmpty)
            try await WholeDraft.updateAll(\.isRead, to: true, in: store.main) {
                $0.body = .text("[]", type: "application/json")
            }
            #expect(stub.log == ["PATCH /drafts []"])
        }
    }

    @Test func `A collection's update spells the key as the server has spelt it`() async throws {
        let service = try service()
        let ticket = try await service.imported(WholeTicket.self, #"{"id": 1, "isRead": false}"#)
        try await WholeTicket.updateAll(\.isRead, to: true, in: service.main)
        #expect(service.stub.log == [#"PATCH /tickets {"isRead":true}"#] && ticket.isRead)
    }

    @Test func `Values in the reply of a collection's update win over the value sent`() async throws {
        let service = try service(.json(#"[{"id": 1, "state_text": "Done"}]"#))
        let ticket = try await ticket(service)
        let other = try await service.imported(WholeTicket.self, #"{"id": 2, "state_text": "open"}"#)
        try await WholeTicket.updateAll(\.state, to: "done", in: service.main)
        #expect(ticket.state == "Done" && other.state == "done")
    }

    @Test func `An update of a part of the collection changes only the objects in the reply`() async throws {
        let service = try service(.json(#"[{"id": 2, "is_read": true}]"#))
        let ticket = try await ticket(service)
        let other = try await service.imported(WholeTicket.self, #"{"id": 2}"#)
        try await WholeTicket.updateAll(\.isRead, to: true, in: service.main) { $0.query["label"] = "ui" }
        #expect(!ticket.isRead && other.isRead)
        #expect(service.stub.log == [#"PATCH /tickets?label=ui {"is_read":true}"#])
    }

    @Test func `A collection's update leaves a new object with its own identity new`() async throws {
        let stub = StubTransport { request in
            .json(String(decoding: request.body?.bytes ?? [], as: UTF8.self), status: 201)
        }
        let service = try Service([WholeDraft.self], stub: stub)
        let draft = WholeDraft(in: service.main)
        try await service.main.save()
        try await WholeDraft.updateAll(\.isRead, to: true, in: service.main)
        #expect(!draft.isRead && !draft.isKnownToServer)
        try await draft.create()
        #expect(draft.isKnownToServer)
        #expect(stub.log.count == 2 && stub.log[1].hasPrefix("POST /drafts "))
    }

    @Test func `A failed update of a collection changes nothing`() async throws {
        let service = try service(.json("{}", status: 500))
        let ticket = try await ticket(service)
        await #expect(throws: APIError.self) {
            try await WholeTicket.updateAll(\.isRead, to: true, in: service.main) { $0.timeout = .seconds(1) }
        }
        #expect(!ticket.isRead)
    }

    @Test func `A collection's update of a read-only attribute or below a parent is refused`() async throws {
        let service = try service()
        await #expect {
            try await WholeTicket.updateAll(\.rank, to: 1, in: service.main)
        } throws: { error in
            guard case APIError.unsendable(model: "WholeTicket", property: "rank", _) = error else { return false }
            return true
        }
        await #expect {
            try await WholeRemark.updateAll(\.text, to: "", in: service.main)
        } throws: { error in
            guard case APIError.route(.needsMore) = error else { return false }
            return true
        }
        #expect(service.stub.log.isEmpty)
    }

    @Test func `No update gives all objects one identity`() async throws {
        let service = try Service([WholeDraft.self], stub: StubTransport { _ in .status(204) })
        let draft = try await service.imported(WholeDraft.self, #"{"id": "6B29FC40-CA47-1067-B31D-00DD010662DA"}"#)
        let known = draft.id
        await #expect {
            try await WholeDraft.updateAll(\.id, to: UUID(), in: service.main)
        } throws: { error in
            guard case APIError.unsendable(model: "WholeDraft", property: "id", _) = error else { return false }
            return true
        }
        #expect(service.stub.log.isEmpty && draft.id == known)
    }

    @Test func `An object edited while its collection is updated keeps the newer value`() async throws {
        let held = HeldTransport()
        let store = try Store(
            .temporary, models: Self.models, api: API("https://api.example.com", transport: held))
        let ticket = try await store.imported(WholeTicket.self, #"{"id": 1, "state_text": "old"}"#)
        let update = Task { try await WholeTicket.updateAll(\.state, to: "done", in: store.main) }
        await held.wait(for: 1)
        ticket.state = "mine"
        try await store.main.save()
        held.answer(0, .status(204))
        try await update.value
        #expect(ticket.state == "mine" && !ticket.unsentProperties.isEmpty)
    }
}
