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
    let conventions: NamingConventions

    static let rails = House(name: "Rails", variable: "INTEROP_RAILS", conventions: .rails)

    static let all = [rails]

    var testDescription: String { name }

    var address: String? { ProcessInfo.processInfo.environment[variable] }

    /// Whether there is any service to test against.
    static var isOpen: Bool { all.contains { $0.address != nil } }
}

extension Trait where Self == ConditionTrait {
    /// For suites that need the services.
    static var againstServices: Self {
        .enabled(if: House.isOpen, "Scripts/interop starts the services that this needs")
    }
}
