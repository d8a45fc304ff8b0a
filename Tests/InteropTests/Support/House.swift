import Foundation
import RestfulData
import Testing

/// A service in one house style, which `Scripts/interop` runs.
struct House: Sendable, CustomTestStringConvertible {
    let name: String
    /// The environment variable that holds its address.
    let variable: String
    /// Where its resources begin.
    var path = ""
    let conventions: APIConventions

    /// Rails with objects as they are, pages by `Link`.
    static let rails = House(name: "Rails", variable: "INTEROP_RAILS", conventions: .rails)

    /// Rails with each body in an envelope: `{"article": {…}}`.
    static let railsWithRoots = House(
        name: "Rails with roots", variable: "INTEROP_RAILS", path: "/wrapped",
        conventions: with(.rails) { $0.envelopes = .byName })

    /// Django REST Framework as it comes: ids, page objects, slashes at the end.
    static let djangoREST = House(
        name: "Django REST Framework", variable: "INTEROP_REST", conventions: .djangoREST)

    /// Objects within objects, page objects, camelCase.
    static let camelCase = House(
        name: "camelCase", variable: "INTEROP_CAMEL",
        conventions: with(.camelCase) {
            $0.envelopes = .lists("results")
            $0.paging = .nextLink(at: "next")
        })

    static let jsonAPI = House(name: "JSON:API", variable: "INTEROP_JSONAPI", conventions: .jsonAPI)

    /// Those that have comments and tags below an article's URL to write to, and PUT.
    static let plain = [rails, railsWithRoots, djangoREST, camelCase].filter { $0.address != nil }

    static let all = plain + [jsonAPI].filter { $0.address != nil }

    var testDescription: String { name }

    var address: String? { ProcessInfo.processInfo.environment[variable] }

    private static func with(
        _ conventions: APIConventions, _ change: (inout APIConventions) -> Void
    ) -> APIConventions {
        var conventions = conventions
        change(&conventions)
        return conventions
    }
}

extension Trait where Self == ConditionTrait {
    /// For suites that need the services.
    static var againstServices: Self { against(!House.all.isEmpty) }

    /// For a test that needs one of them.
    static func against(_ house: House) -> Self { against(house.address != nil) }

    private static func against(_ isRunning: Bool) -> Self {
        .enabled(if: isRunning, "Scripts/interop starts the services that this needs")
    }
}
