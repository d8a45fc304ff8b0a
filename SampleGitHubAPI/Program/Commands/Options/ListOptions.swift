import ArgumentParser
import RestfulData

struct ListOptions: ParsableArguments {
    @Option(name: [.customShort("L"), .long], help: "At most so many.")
    var limit = 30

    func validate() throws {
        guard limit > 0 else { throw ValidationError("The limit must be at least 1.") }
    }

    /// GitHub's limit is 100.
    var pageSize: Int { min(limit, 100) }
    var pageCount: Int { (limit - 1) / 100 + 1 }
    var pages: Pages { .all(limit: pageCount) }
}

enum StateFilter: String, ExpressibleByArgument, CaseIterable, RouteValueConvertible {
    case open, closed, all

    func admits(_ state: Issue.State) -> Bool { self == .all || rawValue == state.rawValue }
}
