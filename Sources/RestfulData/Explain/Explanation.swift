import Conventions
import Foundation
public import ObjectStore

extension Store {
    /// Describes how the conventions map a model: its table, columns, JSON keys, relationships and routes, each with
    /// its rule, and warnings of likely mistakes. The form of the text may change.
    ///
    /// - Returns: The description; a line for a class outside the store's models.
    public func explain(_ model: any Model.Type) -> String {
        explanation(of: model)?.description ?? Explanation.unknown(model)
    }

    /// Describes all models of the store, in the order passed.
    public func explain() -> String { explanations.map(\.description).joined(separator: "\n") }

    /// The mapping of a model as data: the tree that ``explain(_:)`` prints.
    ///
    /// ```swift
    /// let issue = store.explanation(of: Issue.self)
    /// issue?.routes.first { $0.name == "save" }?.template       // "/repos/:repository.full_name/issues/:number"
    /// ```
    ///
    /// This uses memory only. The server's spellings of JSON keys are included as far as known.
    ///
    /// - Returns: nil for a class outside the store's models.
    public func explanation(of model: any Model.Type) -> Explanation? {
        Explanation(of: model, schema, file)
    }

    /// The mappings of all models, in the order passed.
    public var explanations: [Explanation] { schema.models.compactMap { explanation(of: $0.type) } }
}

extension ObjectContext {
    /// Describes a model as `store.explain(_:)` does, and how much of its lists the store has, with a line for each
    /// query.
    ///
    /// ```swift
    /// print(try store.main.explain(Repository.self))
    /// // …
    /// // Listed
    /// //   Repository                        3 on 1 page as of 2026-11-23T18:00:00Z
    /// //   Repository 1296269 issues         whole as of 2026-11-23T18:00:02Z
    /// ```
    ///
    /// - Throws: ``StoreError`` if reading the file fails.
    /// - Complexity: linear in the lists fetched, even in part.
    public func explain(_ model: any Model.Type) throws(StoreError) -> String {
        guard let explanation = Explanation(of: model, schema, try openFile()) else {
            return Explanation.unknown(model)
        }
        let listings = try knownListings().filter { $0.model == explanation.model }
        let width = listings.map(\.name.count).max() ?? 0
        let lines = listings.map { listing in
            "  \(listing.name.padding(toLength: width, withPad: " ", startingAt: 0))  \(listing.completeness)"
        }
        return ([explanation.description, "Listed"] + (lines.isEmpty ? ["  nothing"] : lines)).joined(separator: "\n")
    }
}

extension Explanation {
    fileprivate static func unknown(_ model: any Model.Type) -> String {
        "\(model) is not among the models that this store was opened with."
    }

    fileprivate init?(of type: any Model.Type, _ schema: Schema, _ file: StoreFile) {
        guard let model = schema.model(for: type) else { return nil }
        let clients = file.companion as? APIClients
        let maker = ExplanationMaker(
            model: model, schema: schema, shapes: file.shapes, clients: clients, writes: file.writes)
        self = maker.explanation
    }
}

/// The mapping of a model, with the rules that made it.
///
/// ``description`` is the text of `store.explain(_:)`, and ``json`` the same for programs.
public struct Explanation: Sendable, Hashable, Encodable {
    /// The class's name.
    public let model: String
    /// The table of its rows.
    public let table: Table
    /// The Swift names of the identity's properties; empty for an embedded model.
    public let identity: [String]
    /// The Swift name of the key's property; nil if there is none.
    public let key: String?
    /// Whether its objects have no identity and live in their owner.
    public let isEmbedded: Bool
    /// How the rows of models that share a table differ; nil if the model has a table of its own.
    public let family: Family?
    /// The base URL of the model's API; nil if the store has one API or none.
    public let api: String?
    /// Likely mistakes in declarations: the problem, and the declaration to write instead.
    public let warnings: [String]
    /// The attributes, in the order of their declaration.
    public let attributes: [Attribute]
    /// The relationships, in the order of their declaration.
    public let relationships: [Relationship]
    /// The routes; empty in a store without an API.
    public let routes: [Route]
    /// Deviations from plain requests and replies; empty in a store without an API.
    public let bodies: [Body]
    /// The handling of queued writes, lost replies and conflicts; empty in a store without an API.
    public let offline: [Body]

    /// The table of a model.
    public struct Table: Sendable, Hashable, Encodable {
        /// Its name in SQL.
        public let name: String
        /// The rule that made the name.
        public let rule: String
    }

    /// Models that share a table by inheritance.
    public struct Family: Sendable, Hashable, Encodable {
        /// The class that this model inherits from; nil for the parent itself.
        public let parent: String?
        /// The JSON key path of the discriminator.
        public let discriminator: String
        /// Whether the discriminator's values are integers, or else text.
        public let isInteger: Bool
        /// This model; for the parent, the models that inherit from it.
        public let members: [Member]

        /// A model that inherits from another.
        public struct Member: Sendable, Hashable, Encodable {
            /// The class's name.
            public let model: String
            /// The discriminator's values for this class; new objects have the first.
            public let values: [String]
        }
    }

    /// An attribute.
    public struct Attribute: Sendable, Hashable, Encodable {
        /// Its Swift name.
        public let name: String
        /// Its JSON key path, with dots between the keys.
        public let json: String
        /// Its column's name.
        public let column: String
        /// Its column's type in SQL.
        public let type: String
        /// The rule that made the JSON key from the name.
        public let rule: String
        /// Further declarations, such as a date format, and the key in requests if it differs from `json`.
        public let notes: [String]
    }

    /// A relationship.
    public struct Relationship: Sendable, Hashable, Encodable {
        /// Its Swift name.
        public let name: String
        /// The class of the related objects.
        public let target: String
        /// Whether it is a to-many relationship.
        public let isList: Bool
        /// The JSON keys that it is read from: its own, and that for identities.
        public let json: [String]
        /// The rule that made its own JSON key from the name.
        public let rule: String
        /// The table and column that store it.
        public let storage: Storage
        /// The inverse; nil if there is none.
        public let inverse: Inverse?
        /// The form in requests: `sent as "owner_id"`.
        public let sending: String
        /// Whether objects that leave it are deleted.
        public let owns: Bool
        /// The effect of its owner's deletion on the related objects: `nullify`, `cascade` or `deny`.
        public let deleteRule: String
        /// Whether lists in replies are always merged in, or always whole; nil if the reply decides.
        public let merges: Bool?

        /// The table and column that store a relationship.
        public struct Storage: Sendable, Hashable, Encodable {
            /// The model's own table, the members' table, or a join table with a row for each membership.
            public let table: String
            /// The column of the links; nil for a join table.
            public let column: String?
        }

        /// The inverse of a relationship.
        public struct Inverse: Sendable, Hashable, Encodable {
            /// The class that declares it.
            public let model: String
            /// Its Swift name.
            public let property: String
            /// The rule that paired the two.
            public let rule: String
        }
    }

    /// A request with a URL from the model or a relationship.
    public struct Route: Sendable, Hashable, Encodable {
        /// The operation: `index`, `save`, `$issues.fetch`.
        public let name: String
        /// The HTTP method.
        public let method: String
        /// The template of the URL below the API's base URL.
        public let template: String
        /// The rule that made the template.
        public let rule: String
    }

    /// A fact about the bodies of requests or replies, or about writes.
    public struct Body: Sendable, Hashable, Encodable {
        /// The subject: `a list in a reply`.
        public let name: String
        /// The value: `at "items" or bare`.
        public let value: String
        /// The declaration that decides it.
        public let rule: String

        fileprivate var cells: [String] { [name, value, rule] }
    }
}

// MARK: Printing

extension Explanation: CustomStringConvertible {
    /// The mapping as indented JSON with sorted keys.
    public var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // Text, booleans and lists of them can always be encoded.
        guard let json = try? encoder.encode(self) else { return "{}" }
        return String(decoding: json, as: UTF8.self)
    }

    /// The text of `store.explain(_:)`.
    public var description: String {
        let attributes = attributes.map { attribute in
            [
                attribute.name, "← \"\(attribute.json)\"", "\(attribute.column) \(attribute.type)",
                ([attribute.rule] + attribute.notes).joined(separator: "; "),
            ]
        }
        let routes = routes.map { [$0.name, "\($0.method) \($0.template)", $0.rule] }
        let (bodies, offline) = (bodies.map(\.cells), offline.map(\.cells))
        return [
            head, section("Warnings", warnings), section("Attributes", Self.aligned(attributes)),
            section("Relationships", relationshipLines),
            section("Routes", Self.aligned(routes)), section("Bodies", Self.aligned(bodies)),
            section("Offline", Self.aligned(offline)),
        ]
        .filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private var head: String {
        let identity = isEmbedded ? "none; its objects live in their owner" : identity.joined(separator: ", ")
        return """
            \(model)
              table     \(table.name)  (\(table.rule))
              identity  \(identity)\(key.map { $0 == identity ? "" : "; in URLs: \($0)" } ?? "")
            \(api.map { "  API       \($0)\n" } ?? "")\(family.map { "  family    \($0.line(of: model))\n" } ?? "")
            """
    }

    /// Two lines for each: type and JSON keys, then storage and rules.
    private var relationshipLines: [String] {
        let cells = relationships.map { relationship in
            [
                relationship.name, "→ \(relationship.isList ? "[\(relationship.target)]" : relationship.target)",
                "← "
                    + relationship.json.map { $0.isEmpty ? "its owner's own keys" : "\"\($0)\"" }.joined(
                        separator: " or "),
            ]
        }
        return zip(Self.aligned(cells), relationships).flatMap { [$0, "  " + $1.notes.joined(separator: "; ")] }
    }

    private func section(_ title: String, _ lines: [String]) -> String {
        lines.isEmpty ? "" : "  \(title)\n" + lines.map { "    \($0)\n" }.joined()
    }

    private static func aligned(_ cells: [[String]]) -> [String] {
        guard let first = cells.first else { return [] }
        let widths = first.indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
        return cells.map { row in
            row.enumerated().map { column, cell in
                column == row.count - 1 ? cell : cell + String(repeating: " ", count: widths[column] - cell.count)
            }
            .joined(separator: "  ")
        }
    }
}

extension Explanation.Family {
    fileprivate func line(of model: String) -> String {
        if let parent {
            let values = members.flatMap(\.values).map(quoted).joined(separator: ", ")
            return "\(withArticle(parent)) whose \"\(discriminator)\" is \(values)"
        }
        let others = members.map { "\($0.model) for \($0.values.first.map(quoted) ?? "")" }.joined(separator: ", ")
        return "by \"\(discriminator)\": \(others), \(model) for anything else"
    }

    private func quoted(_ value: String) -> String { isInteger ? value : "\"\(value)\"" }
}

extension Explanation.Relationship {
    fileprivate var notes: [String] {
        let place =
            if let column = storage.column {
                "column " + (isList ? "\(storage.table).\(column)" : column)
            } else {
                "table \(storage.table)"
            }
        var notes = [rule, place]
        if let inverse { notes.append("inverse \(inverse.model).\(inverse.property) (\(inverse.rule))") }
        notes.append(sending)
        if owns { notes.append("owns its members") }
        switch deleteRule {
        case "cascade": notes.append("deletes what it leads to with its object")
        case "deny": notes.append("denies the deletion of its object")
        default: break
        }
        if let merges { notes.append(merges ? "replies are merged in" : "replies are the whole list") }
        return notes
    }
}
