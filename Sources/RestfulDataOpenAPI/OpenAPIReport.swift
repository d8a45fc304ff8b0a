public import OpenAPIFiles

/// The result of `store.check(against:)`: how a store's models match a service's description.
///
/// All lists have the order of the description or of the models.
public struct OpenAPIReport: Sendable, Hashable {
    /// The title of the service.
    public let title: String
    /// The operations that declared models send.
    public let covered: [Covered]
    /// The declarations that differ from the description.
    public let differences: [Difference]
    /// The operations without a route, with a suggestion for each.
    public let uncovered: [Uncovered]
    /// The calls that the description lacks, which would fail at the server. Most models have some, as the conventions
    /// give every model all routes.
    public let undescribed: [Call]
    /// The invalid parts of the description.
    public let problems: [OpenAPIProblem]

    /// A call of a model, with its request.
    public struct Call: Sendable, Hashable {
        /// The model's class.
        public let model: String
        /// The name of the route, as in `store.explain`: `index`, `save`, `$issues.fetch`.
        public let route: String
        /// The HTTP method.
        public let method: String
        /// The template of the URL, below the API's base URL.
        public let template: String
    }

    /// An operation that a call sends.
    public struct Covered: Sendable, Hashable {
        /// The method and path: `GET /users/{id}`.
        public let operation: String
        /// The calls that send the operation.
        public let calls: [Call]
    }

    /// A difference between a declaration and the description.
    public struct Difference: Sendable, Hashable {
        /// The model's class.
        public let model: String
        /// The property; nil if the difference concerns a route or several properties.
        public let property: String?
        /// The operation with the difference; nil if there is none.
        public let operation: String?
        /// The difference, and the declaration that corrects it.
        public let reason: String
    }

    /// An operation without a route.
    public struct Uncovered: Sendable, Hashable {
        /// The method and path.
        public let operation: String
        /// The kind of the request.
        public let kind: Kind
        /// A declaration or call that sends the operation. For ``Kind/inexpressible``, the reason why there is none.
        public let suggestion: String
    }

    /// The part of the library that can send an operation.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A list of objects, or the creation of one: a base URL.
        case collection
        /// One object by its key: a base URL.
        case item
        /// A list below an object: a relationship with a route.
        case subresource
        /// One object without a key, such as the signed-in user: a fetch by its path.
        case singleton
        /// A request about an object: `object.send`.
        case action
        /// A reply with values, or with values and objects: a response type, or JSON.
        case response
        /// A reply that is a file.
        case download
        /// Any other request: `api.send`, or a service file.
        case request
        /// The library has nothing for this operation.
        case inexpressible
    }

    /// The number of operations that the library can send.
    public var expressibleCount: Int { covered.count + uncovered.count { $0.kind != .inexpressible } }
}

extension OpenAPIReport.Call: CustomStringConvertible {
    /// The call in Swift: `issue.save()`, `Issue.fetchAll(in:)`, `repository.$issues.add(…)`.
    public var description: String {
        let object = model.prefix(1).lowercased() + model.dropFirst()
        return switch route {
        case "index": "\(model).fetchAll(in:)"
        case let name where name.hasSuffix(".add") || name.hasSuffix(".delete"): "\(object).\(name)(…)"
        case let name: "\(object).\(name)()"
        }
    }

    var request: String { "\(method) \(template)" }
}

extension OpenAPIReport: CustomStringConvertible {
    /// The report as text, with a section for each non-empty list.
    public var description: String {
        let total = covered.count + uncovered.count
        let head =
            "\(title.isEmpty ? "The description" : title): \(total) operations, \(covered.count) covered, "
            + "\(uncovered.count) not; \(differences.count) \(differences.count == 1 ? "difference" : "differences")"
        return ([head] + sections).joined(separator: "\n")
    }

    private var sections: [String] {
        let covered = Self.aligned(covered.map { [$0.operation, $0.calls.map(\.description).joined(separator: ", ")] })
        let uncovered = Self.aligned(uncovered.map { [$0.operation, $0.kind.rawValue, $0.suggestion] })
        let undescribed = Self.aligned(undescribed.map { [$0.request, "\($0)"] })
        return [
            ("Differences", differences.map(\.description)), ("Covered", covered), ("Not covered", uncovered),
            ("Calls without an operation", undescribed), ("Left out of the description", problems.map(\.description)),
        ]
        .filter { !$0.1.isEmpty }.map { "\($0.0)\n" + $0.1.map { "  \($0)" }.joined(separator: "\n") }
    }

    private static func aligned(_ rows: [[String]]) -> [String] {
        guard let first = rows.first else { return [] }
        let widths = first.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            row.enumerated().map { column, cell in
                column == row.count - 1 ? cell : cell + String(repeating: " ", count: widths[column] - cell.count)
            }
            .joined(separator: "  ")
        }
    }
}

extension OpenAPIReport.Difference: CustomStringConvertible {
    /// The difference in one line: `Issue.state (GET /issues/{id}): …`.
    public var description: String {
        let name = property.map { "\(model).\($0)" } ?? model
        return "\(name)\(operation.map { " (\($0))" } ?? ""): \(reason)"
    }
}
