import TestSupport

@testable import RestfulData

// The steps of a user and the network.

extension OutboxRun {
    func step() async throws {
        if migrates, chance(12) == 0 { return try await migrate() }
        switch chance(decides ? 20 : 16) {
        case 0, 1: try await makeIssue()
        case 2: try await makeRepo()
        case 3, 4, 5: try await edit()
        case 6: try await move(pick(distinctIssues()))
        case 7: try await delete(pick(distinctIssues()))
        case 8, 9: try await changeLabels(of: pick(distinctIssues()))
        case 10: try await fetch()
        case 11:
            log.append("restart")
            try program.restart()
        case 12: fail()
        case 16: try await discard()
        case 17: try await retry()
        case 18: try await decide()
        case 19: removeElsewhere()
        default: try await drain()
        }
    }

    func makeIssue() async throws {
        lastTag += 1
        let issue = Issue(in: program.main)
        let tag = (lastTag < 100 ? "0" : "") + (lastTag < 10 ? "0" : "") + "\(lastTag)"
        (issue.body, issue.title) = (tag, "t\(chance(100))")
        let repo = try pick(foundRepos())
        let joins = chance(2) == 0
        log.append("issue \(tag) \(issue.title!) in \(repo?.name ?? "-") \(joins ? "by list" : "")")
        if let repo, joins {
            try await repo.$issues.add(issue, .queued)
        } else {
            issue.repo = repo
            try await issue.save(.queued)
        }
        expected[tag] = Expected(title: issue.title!, repo: repo?.name)
    }

    private func makeRepo() async throws {
        guard repos.count < 4 else { return }
        let repo = Repo(in: program.main)
        let name = "repo \(lastRepo)"
        lastRepo += 1
        repo.name = name
        log.append(name)
        try await repo.save(.queued)
        repos.insert(name)
    }

    private func edit() async throws {
        guard let issue = try pick(distinctIssues()) else { return }
        // An edit that is saved and not queued goes with the next one that is.
        try await edit(issue, isQueued: chance(4) > 0)
    }

    func edit(_ issue: Issue, isQueued: Bool) async throws {
        // Few values, so that edits are set back at times.
        let title = "t\(chance(decides ? 4 : 100))"
        let isEdited = issue.title != title
        issue.title = title
        log.append("edit \(issue.body!) \(title) \(isQueued)")
        if isQueued { try await issue.save(.queued) } else { try await program.main.save() }
        if isEdited { expected[issue.body!]?.title = title }
    }

    func move(_ issue: Issue?) async throws {
        guard let issue, let repo = try pick(foundRepos()) else { return }
        log.append("move \(issue.body!) to \(repo.name!)")
        let isMoved = issue.repo !== repo
        issue.repo = repo
        try await issue.save(.queued)
        if isMoved { expected[issue.body!]?.repo = repo.name }
    }

    func delete(_ issue: Issue?) async throws {
        guard let issue, let tag = issue.body else { return }
        let record = issue._object.record
        let isUndecided = !issue.isKnownToServer && program.main.hasUnknownOutcome(issue)
        try await issue.delete(.queued)
        log.append("delete \(tag)\(isUndecided ? " undecided" : "")")
        if let was = expected.removeValue(forKey: tag) { deleted[record] = Deleted(tag: tag, issue: was) }
    }

    func changeLabels(of issue: Issue?) async throws {
        guard let issue, let tag = issue.body,
            let label = try program.main.find(Label.self, chance(3) + 1)
        else { return }
        let id = label.identifier!
        if issue.labels.contains(label) {
            log.append("remove label \(id) of \(tag)")
            try await issue.$labels.delete(label, .queued)
            expected[tag]?.labels.remove(id)
        } else {
            log.append("add label \(id) to \(tag)")
            try await issue.$labels.add(label, .queued)
            expected[tag]?.labels.insert(id)
        }
    }

    func fetch() async throws {
        log.append("fetch")
        do {
            if chance(2) == 0 {
                _ = try await Issue.fetchAll(in: program.main)
            } else if let issue = try pick(distinctIssues().filter(\.isKnownToServer)) {
                try await issue.$labels.fetch()
            }
        } catch { log.append("fetch failed") }
    }

    private func fail() {
        let fault: OutboxServer.Fault =
            switch chance(decides ? 7 : 4) {
            case 0: .unreachable
            case 1: .status(503)
            case 4, 5: .status(422, body: #"{"errors": {"title": ["is taken"]}}"#)
            case 6: .status(403)
            default: .lostReply
            }
        log.append("next: \(fault)")
        server.fail(fault)
    }

    private func drain() async throws {
        // Only the first requests, at times.
        if chance(3) == 0 {
            let last = server.log.count + chance(3) + 1
            server.whenArriving { [server] _ in if server.log.count >= last { server.isOffline = true } }
        } else if interrupts {
            let number = server.log.count + chance(3) + 1
            server.whenArriving { [server] request in
                if server.log.count == number { await self.interrupt(request) }
            }
        }
        let before = server.log.count
        let report = await program.outbox.drain()
        server.whenArriving(nil)
        server.isOffline = false
        log += server.log[before...].map { "  > \($0)" }
        for deletion in deletions { try await deletion.value }
        deletions = []
        log.append("drain: \(report.sent) sent, \(report.waiting) left, \(report.rejected) rejected")
    }
}
