import ArgumentParser
import Foundation
import RestfulData

struct StatusCommand: GitHubCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Say what the store has, how much of each list and as of when, and how many requests GitHub has left."
    )

    @OptionGroup var output: JSONFlag
    @Flag(name: .offline, help: .offline) var isOffline = false
    @OptionGroup var service: ServiceOptions

    @MainActor func run(_ gitHub: GitHub) async throws {
        let asked = isOffline ? .success(nil) : await limits(gitHub)
        let status = try Status(of: gitHub, try? asked.get())
        try write(output.json ? [status.json.text] : status.lines)
        // The stored numbers are useful even after a failure.
        _ = try asked.get()
    }

    @MainActor private func limits(_ gitHub: GitHub) async -> Result<GitHubLimits?, any Error> {
        do { return .success(try await GitHubLimits.fetch("/rate_limit", in: gitHub.store.main)) } catch {
            return .failure(error)
        }
    }
}

/// The request for them is free.
@ResponseBody
struct GitHubLimits {
    struct Limit: Codable, Sendable {
        let limit: Int
        let remaining: Int
        let reset: Int
    }

    @Attribute("resources.core") var core: Limit?
    @Attribute("resources.search") var search: Limit?
}

@MainActor private struct Status {
    private let counts: [(name: String, count: Int)]
    private let lists: [(name: String, known: ListCompleteness)]
    private let limits: [(name: String, limit: GitHubLimits.Limit)]

    init(of gitHub: GitHub, _ limits: GitHubLimits?) throws {
        let main = gitHub.store.main
        counts = [
            ("users", try main.query(User.self).count()), ("repositories", try main.query(Repository.self).count()),
            ("issues", try main.query(Issue.self).count()), ("labels", try main.query(Label.self).count()),
            ("milestones", try main.query(Milestone.self).count()), ("comments", try main.query(Comment.self).count()),
        ]
        lists = try main.knownListings().map { (gitHub.name(of: $0), $0.completeness) }.sorted { $0.name < $1.name }
        self.limits = [("core", limits?.core), ("search", limits?.search)].compactMap { name, limit in
            limit.map { (name, $0) }
        }
    }

    var json: JSON {
        let lists = lists.map { name, known in
            JSON.object([
                "list": JSON(name), "extent": JSON("\(known.extent)"), "objects": JSON(known.objectCount),
                "pages": JSON(known.pageCount), "listedAt": JSON(known.listedAt), "wholeAt": JSON(known.wholeAt),
            ])
        }
        let limits = limits.map { name, limit in
            JSON.object([
                "resource": JSON(name), "limit": JSON(limit.limit), "remaining": JSON(limit.remaining),
                "reset": JSON(Date(timeIntervalSince1970: Double(limit.reset))),
            ])
        }
        let objects = Dictionary(uniqueKeysWithValues: counts.map { ($0.name, JSON($0.count)) })
        return .object(["objects": .object(objects), "lists": .array(lists), "limits": .array(limits)])
    }

    var lines: [String] {
        let kept = counts.filter { $0.count > 0 }.map { "\($0.count) \($0.count == 1 ? one($0.name) : $0.name)" }
        var lines = [kept.isEmpty ? "The store is empty." : kept.joined(separator: ", ")]
        lines += limits.map { name, limit in
            let reset = Date(timeIntervalSince1970: Double(limit.reset)).text
            return "\(limit.remaining) of \(limit.limit) \(name) requests left until \(reset)"
        }
        let table = Table(columns: Self.columns, rows: lists)
        if !lists.isEmpty { lines += Terminal.width.map { [""] + table.lines(width: $0) } ?? table.wholeLines }
        return lines
    }

    private func one(_ name: String) -> String {
        name == "repositories" ? "repository" : String(name.dropLast())
    }

    private static var columns: [Column<(name: String, known: ListCompleteness)>] {
        [
            Column(title: "LIST", isFlexible: true, style: .bold) { $0.name },
            Column(title: "HERE") { _, known in
                let total = known.totalCount.map { " of \($0)" } ?? " or more"
                return known.extent == .whole ? "all \(known.objectCount)" : "\(known.objectCount)\(total)"
            },
            Column(title: "ASKED", style: .dim) { $0.known.listedAt?.text ?? "" },
        ]
    }
}

extension GitHub {
    /// `octocat/Hello-World issues ?state=open`, `octocat/Hello-World#42 comments`
    fileprivate func name(of listing: KnownListing) -> String {
        guard let owner = listing.owner, let list = listing.relationship else { return listing.name }
        return [name(of: listing.model, owner) ?? owner, list, listing.query].filter { !$0.isEmpty }
            .joined(separator: " ")
    }

    /// nil if the store lacks the object.
    private func name(of model: String, _ id: String) -> String? {
        guard let id = Int(id) else { return nil }
        switch model {
        case "Repository": return try? store.main.find(Repository.self, id)?.fullName
        case "User": return try? store.main.find(User.self, id)?.login
        case "Issue":
            // The store may lack a search result's repository.
            let issue = try? store.main.find(Issue.self, id)
            return issue?.repository == nil ? nil : issue?.reference
        default: return nil
        }
    }
}
