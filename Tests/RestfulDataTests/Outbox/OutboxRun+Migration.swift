import TestSupport

@testable import RestfulData

// Another version of the program, which has other names for models and properties, takes over for a while.

extension OutboxRun {
    typealias Ticket = RenamedTracker.Ticket

    func migrate() async throws {
        log.append("other version")
        try await program.restart(as: RenamedTracker.models) { store in
            let all = try store.main.query(Ticket.self).fetch().filter { $0.body != nil }.sorted { $0.body! < $1.body! }
            let ticket = pick(distinct(all) { $0.body! })
            switch chance(6) {
            case 0: if let ticket { try await edit(ticket) }
            case 1: if let ticket { try await delete(ticket) }
            case 2: if let ticket { try await changeTags(of: ticket, in: store) }
            case 3:
                let before = server.log.count
                await store.outbox.drain()
                log += server.log[before...].map { "  > \($0)" }
            default: break
            }
        }
        log.append("this version")
    }

    private func edit(_ ticket: Ticket) async throws {
        let name = "t\(chance(4))"
        let isEdited = ticket.name != name
        ticket.name = name
        log.append("edit \(ticket.body!) \(name)")
        try await ticket.save(.queued)
        if isEdited { expected[ticket.body!]?.title = name }
    }

    private func delete(_ ticket: Ticket) async throws {
        let tag = ticket.body!
        let record = ticket._object.record
        try await ticket.delete(.queued)
        log.append("delete \(tag)")
        if let was = expected.removeValue(forKey: tag) { deleted[record] = Deleted(tag: tag, issue: was) }
    }

    private func changeTags(of ticket: Ticket, in store: Store) async throws {
        guard let tag = try store.main.find(RenamedTracker.Tag.self, chance(3) + 1) else { return }
        let isMember = ticket.tags.contains(tag)
        log.append("tag \(tag.identifier!) of \(ticket.body!): \(!isMember)")
        if isMember {
            try await ticket.$tags.delete(tag, .queued)
            expected[ticket.body!]?.labels.remove(tag.identifier!)
        } else {
            try await ticket.$tags.add(tag, .queued)
            expected[ticket.body!]?.labels.insert(tag.identifier!)
        }
    }
}
