public import OpenAPIFiles

/// How the models of a store fit what a service says of itself: what `store.check(against:)` gives.
///
/// ```swift
/// let report = try store.check(against: OpenAPIDescription(contentsOf: file))
/// print(report)
/// #expect(report.differences.isEmpty)
/// ```
///
/// The order of everything in it is that of the description, or of the models.
public struct OpenAPIReport: Sendable, Hashable {
    /// The title of the service.
    public let title: String
    /// The operations that a call of a declared model sends.
    public let covered: [Covered]
    /// What is declared otherwise than the service has it.
    public let differences: [Difference]
    /// The operations that no declared model has a route for, with what sends them.
    public let uncovered: [Uncovered]
    /// The calls of declared models that the description has no operation for. Each model has some of these, as the
    /// conventions give it all routes: they would fail at the server.
    public let undescribed: [Call]
    /// What of the description could not be read.
    public let problems: [OpenAPIProblem]

    /// A call of a model, by the request that it sends.
    public struct Call: Sendable, Hashable {
        /// The model's class.
        public let model: String
        /// The route's name, as `store.explain` has it: `index`, `save`, `$issues.fetch`.
        public let route: String
        /// The HTTP method.
        public let method: String
        /// The template of its URL, below the API's base URL.
        public let template: String
    }

    /// An operation that is covered.
    public struct Covered: Sendable, Hashable {
        /// The method and path: `GET /users/{id}`.
        public let operation: String
        /// The calls that send it.
        public let calls: [Call]
    }

    /// Something that is declared otherwise than the service has it.
    public struct Difference: Sendable, Hashable {
        /// The model's class.
        public let model: String
        /// The property; nil where the difference is of a route or of several properties.
        public let property: String?
        /// The operation that shows it; nil where there is none.
        public let operation: String?
        /// What differs, and what to write.
        public let reason: String
    }

    /// An operation that no declared model has a route for.
    public struct Uncovered: Sendable, Hashable {
        /// The method and path.
        public let operation: String
        /// What kind of request it is.
        public let kind: Kind
        /// A declaration or call that sends it; for ``Kind/inexpressible``, why there is none.
        public let suggestion: String
    }

    /// By which part of the library an operation can be sent.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A list of objects, or the creation of one: a base URL.
        case collection
        /// One object by its key: a base URL, too.
        case item
        /// A list below an object: a relationship with a route.
        case subresource
        /// One object without a key, as the user who is signed in: a fetch by its path.
        case singleton
        /// A request about an object: `object.send`.
        case action
        /// A reply with values, or with values and objects: a response type, or JSON.
        case response
        /// A reply that is a file.
        case download
        /// Any other request: `api.send`, or a service file.
        case request
        /// None.
        case inexpressible
    }

    /// Whether the operation can be sent by the library at all.
    public var expressibleCount: Int { covered.count + uncovered.count { $0.kind != .inexpressible } }
}

extension OpenAPIReport.Call: CustomStringConvertible {
    /// The call as it is written: `issue.save()`, `Issue.fetchAll(in:)`, `repository.$issues.add(…)`.
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
    /// The report as text, with a section for each of its lists that isn't empty.
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

    /// The cells, each column as wide as its widest.
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
    /// For example `Issue.state (GET /issues/{id}): …`.
    public var description: String {
        let name = property.map { "\(model).\($0)" } ?? model
        return "\(name)\(operation.map { " (\($0))" } ?? ""): \(reason)"
    }
}
