import ArgumentParser
import RestfulData

/// What commands take that list something.
struct ListOptions: ParsableArguments {
    @Option(help: "At most so many; all of them, page by page, if there is no limit.")
    var limit: Int?

    func validate() throws {
        guard limit ?? 1 > 0 else { throw ValidationError("The limit must be at least 1.") }
    }

    /// GitHub gives at most 100 at a time.
    var pageSize: RouteValue { RouteValue(min(limit ?? 100, 100)) }
    var pages: Pages { limit.map { .all(limit: ($0 - 1) / 100 + 1) } ?? .all() }

    func cut<Element>(_ list: [Element]) -> [Element] { Array(list.prefix(limit ?? .max)) }
}

/// Which issues or milestones to list.
enum StateFilter: String, ExpressibleByArgument, CaseIterable {
    case open, closed, all
}
