import ArgumentParser
import Foundation
import RestfulData

struct StatusCommand: GitHubCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Say what the store has: which lists, how much of each, and as of when.")

    @OptionGroup var output: JSONFlag
    @OptionGroup var service: ServiceOptions

    /// It asks nobody.
    var isOffline: Bool { true }

    @MainActor func run(_ gitHub: GitHub) async throws {
        let main = gitHub.store.main
        let counts = [
            ("users", try main.query(User.self).count()), ("repositories", try main.query(Repository.self).count()),
            ("issues", try main.query(Issue.self).count()), ("labels", try main.query(Label.self).count()),
            ("milestones", try main.query(Milestone.self).count()), ("comments", try main.query(Comment.self).count()),
        ]
        let listings = try main.knownListings()
        if output.json {
            let lists = listings.map { listing in
                JSON.object([
                    "list": JSON(gitHub.name(of: listing)), "extent": JSON("\(listing.completeness.extent)"),
                    "objects": JSON(listing.completeness.objectCount), "pages": JSON(listing.completeness.pageCount),
                    "listedAt": JSON(listing.completeness.listedAt?.text),
                    "wholeAt": JSON(listing.completeness.wholeAt?.text),
                ])
            }
            let objects = Dictionary(uniqueKeysWithValues: counts.map { ($0.0, JSON($0.1)) })
            return try write([JSON.object(["objects": .object(objects), "lists": .array(lists)]).text])
        }
        let kept = counts.filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }
        guard !kept.isEmpty else { return note("The store is empty.") }
        try write([kept.joined(separator: ", ")])
        let table = Table(columns: Self.columns(gitHub), rows: listings)
        guard !listings.isEmpty else { return }
        try write(Terminal.width.map { [""] + table.lines(width: $0) } ?? table.wholeLines)
    }

    @MainActor private static func columns(_ gitHub: GitHub) -> [Column<KnownListing>] {
        [
            Column(title: "LIST", isFlexible: true, style: .bold) { gitHub.name(of: $0) },
            Column(title: "HERE") { listing in
                let known = listing.completeness
                let total = known.totalCount.map { " of \($0)" } ?? (known.extent == .part ? " or more" : "")
                return known.extent == .whole ? "all \(known.objectCount)" : "\(known.objectCount)\(total)"
            },
            Column(title: "ASKED", style: .dim) { $0.completeness.listedAt?.text ?? "" },
        ]
    }
}

extension GitHub {
    /// `octocat/Hello-World issues ?state=open`
    func name(of listing: KnownListing) -> String {
        guard let owner = listing.owner, let list = listing.relationship else { return listing.name }
        let id = Int(owner)
        let repository = id.flatMap { try? store.main.find(Repository.self, $0)?.fullName }
        let user = id.flatMap { try? store.main.find(User.self, $0)?.login }
        let name = listing.model == "Repository" ? repository : listing.model == "User" ? user : nil
        return [name ?? owner, list, listing.query].filter { !$0.isEmpty }.joined(separator: " ")
    }
}
