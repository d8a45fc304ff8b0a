import Foundation
import JSONBytes
import RESTTransport
import TestSupport
import Testing

@testable import RestfulData

// A user's actions while a request is in flight.

extension OutboxRun {
    /// A step while the server has a request and hasn't done it yet.
    func interrupt(_ request: APIRequest) async {
        do { try await change(during: request) } catch { Testing.Issue.record(error, "\(log.last ?? "")") }
    }

    private func change(during request: APIRequest) async throws {
        log.append("  during \(server.log.last ?? "")")
        let all = try distinctIssues()
        let own = try issue(of: request)
        let issue = chance(3) == 0 ? nil : own
        switch chance(10) {
        case 0, 1, 2: if let issue = issue ?? pick(all) { try await edit(issue, isQueued: chance(4) > 0) }
        case 3, 4: try await changeLabels(of: issue ?? pick(all))
        case 5: try await move(issue ?? pick(all))
        case 6:
            // It waits for this request and for others that are sent together with it. Later steps could be sent before
            // or after it, so there are none.
            server.isOffline = true
            if let issue = issue ?? pick(all) {
                let record = issue._object.record
                deletions.append(Task { try await self.delete(self.program.main.object(for: record) as? Issue) })
            }
        case 7: try await makeIssue()
        case 8: _ = try? await Issue.fetchAll(in: program.main)
        default:
            log.append("restart")
            // The program that has ended sends nothing more.
            server.isOffline = true
            try program.restart()
        }
    }

    /// The issue that a request is about, if users can distinguish it from others.
    private func issue(of request: APIRequest) throws -> Issue? {
        let parts = request.url.path.split(separator: "/")
        let id = parts.first == "issues" && parts.count > 1 ? Int(parts[1]) : nil
        let tag = request.body?.bytes.flatMap { JSONValue($0)?["body"]?.string }
        return try distinctIssues().first { $0.body == tag || id != nil && $0.identifier == id }
    }
}
