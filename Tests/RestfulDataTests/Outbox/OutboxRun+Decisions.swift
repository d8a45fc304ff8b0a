@testable import RestfulData

// Users' decisions about entries, and other clients' changes.

extension OutboxRun {
    /// Another client deletes an issue. The user's later edits of it go nowhere.
    func removeElsewhere() {
        guard let id = pick(server.objects("/issues").keys.sorted()), let tag = issueAtServer(id)?.tag else { return }
        let status = chance(2) == 0 ? 404 : 410
        log.append("removed elsewhere: \(tag), \(id), \(status)")
        server.remove("/issues", id, status)
        expected[tag] = nil
        for (record, issue) in deleted where issue.tag == tag { deleted[record] = nil }
        stale.insert(tag)
    }

    func discard() async throws {
        guard let entry = try await pick(program.outbox.entries()) else { return }
        try await discard(entry)
    }

    func retry() async throws {
        guard let entry = try await pick(program.outbox.entries().filter { $0.rejection != nil }) else { return }
        log.append("retry \(entry)")
        try await program.outbox.retry(entry)
    }

    /// Corrects the object of a rejected entry, or takes the change back.
    func decide() async throws {
        guard let entry = try await pick(program.outbox.entries().filter { $0.rejection != nil }) else { return }
        let issue = program.main.object(for: entry.subject.record) as? Issue
        if let issue, entry.subject.membership == nil, entry.rejection?.kind != .gone, chance(2) == 0,
            try distinctIssues().contains(issue)
        {
            try await edit(issue, isQueued: true)
        } else {
            try await discard(entry)
        }
    }

    /// Decides about all rejected entries, so that nothing is left in the end.
    func decideAll() async throws {
        for entry in try await program.outbox.entries() {
            guard let rejection = entry.rejection else { continue }
            if rejection.kind == .gone || chance(3) == 0 {
                try await discard(entry)
            } else {
                log.append("retry \(entry)")
                try await program.outbox.retry(entry)
            }
        }
    }

    private func discard(_ entry: OutboxEntry) async throws {
        log.append("discard \(entry)")
        let subject = entry.subject
        let object = program.main.object(for: subject.record)
        let (issue, repo) = (object as? Issue, object as? Repo)
        let member = subject.membership.flatMap { membership in
            object?._object.model[membership.property].target.flatMap {
                program.main.object(for: RecordID(table: $0, row: membership.member))
            }
        }
        let (tag, isNew) = ((issue ?? member as? Issue)?.body, issue?.isKnownToServer != true)
        let (name, label) = (repo?.name, (member as? Label)?.identifier)
        try await program.outbox.discard(entry)
        switch entry.action {
        case .delete:
            if let known = deleted.removeValue(forKey: subject.record) {
                // A deletion whose reply was lost is done. An object whose creation is repeated is created.
                let isCreated = issueAtServer(tagged: known.tag) != nil || entry.request?.hasPrefix("POST") == true
                expected[known.tag] = isCreated ? known.issue : nil
                stale.insert(known.tag)
            }
        case .add("labels"), .remove("labels"):
            guard let tag, let label else { return }
            let isMember = issueAtServer(tagged: tag)?.labels.contains(label) == true
            if isMember { expected[tag]?.labels.insert(label) } else { expected[tag]?.labels.remove(label) }
            stale.insert(tag)
        case .update: if let tag { returnToServer(tag) }
        case .create, .add, .remove:
            // An object that is created by a list has no entry of its own.
            if let tag, isNew { try await forget(tag) } else if let name { forget(repo: name) }
        }
    }

    /// The issue has the server's values again, and the labels that the user has given it.
    private func returnToServer(_ tag: String) {
        stale.insert(tag)
        guard let known = issueAtServer(tagged: tag) else {
            expected[tag] = nil
            return
        }
        expected[tag]?.title = known.title
        expected[tag]?.repo = known.repo
    }

    /// A new issue is deleted locally. If its creation has an unknown outcome, it may be at the server, and a list may
    /// have found it: that one's queued changes stay.
    private func forget(_ tag: String) async throws {
        stale.insert(tag)
        expected[tag] = issueAtServer(tagged: tag)
        let twin = try issues().first { $0.body == tag }
        for entry in try await program.outbox.entries() where entry.subject.record == twin?._object.record {
            guard let membership = entry.subject.membership, let twin,
                let table = twin._object.model[membership.property].target,
                let label = program.main.object(for: RecordID(table: table, row: membership.member)) as? Label
            else { continue }
            switch entry.action {
            case .add: expected[tag]?.labels.insert(label.identifier!)
            default: expected[tag]?.labels.remove(label.identifier!)
            }
        }
    }

    /// A new repository is deleted locally, and issues that were to join it have none.
    private func forget(repo name: String) {
        if !server.objects("/repos").values.contains(where: { $0["name"]?.string == name }) { repos.remove(name) }
        for (tag, issue) in expected where issue.repo == name { expected[tag]?.repo = nil }
        for (record, issue) in deleted where issue.issue.repo == name { deleted[record]?.issue.repo = nil }
    }
}
