import Conventions
import Foundation
public import ObjectStore

extension Store {
    /// What the conventions made of a model: its table, columns, JSON keys, relationships and routes, each with the
    /// rule that made it, and warnings of what is likely a mistake. For reading: its form may change.
    ///
    /// ```swift
    /// print(store.explain(Issue.self))
    /// ```
    ///
    /// - Returns: text; for a class that the store was not opened with, a line that says so.
    public func explain(_ model: any Model.Type) -> String {
        explanation(of: model)?.description ?? Explanation.unknown(model)
    }

    /// The same for every model of the store, in the order in which they were given.
    public func explain() -> String { explanations.map(\.description).joined(separator: "\n") }

    /// What the conventions made of a model, as data: the tree that ``explain(_:)`` prints.
    ///
    /// ```swift
    /// let issue = store.explanation(of: Issue.self)
    /// issue?.routes.first { $0.name == "save" }?.template       // "/repos/:repository.full_name/issues/:number"
    /// print(issue?.json ?? "")
    /// ```
    ///
    /// Nothing is read from the file or sent. What the server was seen to spell its own way is said as it is known by
    /// now.
    ///
    /// - Returns: nil for a class that the store was not opened with.
    public func explanation(of model: any Model.Type) -> Explanation? {
        Explanation(of: model, schema, file)
    }

    /// The same for every model of the store, in the order in which they were given.
    public var explanations: [Explanation] { schema.models.compactMap { explanation(of: $0.type) } }
}

extension ObjectContext {
    /// What the conventions made of a model, as `store.explain(_:)` says it, and how much of its lists is here, with
    /// the query of each: of all objects of the model, and of the lists of those that there are.
    ///
    /// ```swift
    /// print(try store.main.explain(Repository.self))
    /// // …
    /// // Listed
    /// //   Repository                        3 on 1 page as of 2026-11-23T18:00:00Z
    /// //   Repository 1296269 issues         whole as of 2026-11-23T18:00:02Z
    /// ```
    ///
    /// - Throws: ``StoreError`` when the file can't be read.
    /// - Complexity: linear in the lists of which something has been listed.
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
    /// What is said of a class that the store was not opened with.
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

/// What the conventions made of a model: its table, columns, JSON keys, relationships, routes and bodies, each with the
/// rule that made it.
///
/// It prints itself: ``description`` is what `store.explain(_:)` gives, ``json`` the same for programs.
public struct Explanation: Sendable, Hashable, Encodable {
    /// The class's name.
    public let model: String
    /// The table that its rows are in.
    public let table: Table
    /// The Swift names of the properties that name an object at the server; none for an embedded model.
    public let identity: [String]
    /// The Swift name of the property that names an object in its URL; nil when there is none.
    public let key: String?
    /// Whether its objects have no identity and live in their owner.
    public let isEmbedded: Bool
    /// How its rows are told from those of other models in the table; nil for a model that shares its table with none.
    public let family: Family?
    /// The base URL of the API that has its objects; nil in a store with one API, or none.
    public let api: String?
    /// What works as it is declared, and is likely a mistake: what may go wrong, and what to write.
    public let warnings: [String]
    /// The attributes, in the order of their declaration.
    public let attributes: [Attribute]
    /// The relationships, in the order of their declaration.
    public let relationships: [Relationship]
    /// The routes; none in a store without an API.
    public let routes: [Route]
    /// What in requests and replies isn't the plain way; none in a store without an API.
    public let bodies: [Body]
    /// What happens to writes without a network, to creations whose reply was lost, and to conflicts; none in a store
    /// without an API.
    public let offline: [Body]

    /// The table of a model.
    public struct Table: Sendable, Hashable, Encodable {
        /// Its name in SQL.
        public let name: String
        /// The rule that made the name.
        public let rule: String
    }

    /// Models that share a table, as some of them inherit from one.
    public struct Family: Sendable, Hashable, Encodable {
        /// The class that this model inherits from; nil for the one that others inherit from.
        public let parent: String?
        /// The JSON key path of the attribute that tells them apart.
        public let discriminator: String
        /// Whether the attribute's values are integers rather than text.
        public let isInteger: Bool
        /// This model, or, for the one that others inherit from, those others.
        public let members: [Member]

        /// A model that inherits from another.
        public struct Member: Sendable, Hashable, Encodable {
            /// The class's name.
            public let model: String
            /// The values of the discriminator that stand for it; new objects have the first.
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
        /// The rule that made the JSON key of the name.
        public let rule: String
        /// What else was declared: that it is never sent, its date format; and the key that it goes out under, where
        /// the server was seen to spell it another way than `json`.
        public let notes: [String]
    }

    /// A relationship.
    public struct Relationship: Sendable, Hashable, Encodable {
        /// Its Swift name.
        public let name: String
        /// The class of what it leads to.
        public let target: String
        /// Whether it leads to several objects.
        public let isList: Bool
        /// The JSON keys that it is read from: its own, and the one for identities.
        public let json: [String]
        /// The rule that made its own JSON key of the name.
        public let rule: String
        /// Where it is kept.
        public let storage: Storage
        /// Its other direction; nil when there is none.
        public let inverse: Inverse?
        /// How it goes out: `sent as "owner_id"`.
        public let sending: String
        /// Whether what leaves it is deleted.
        public let owns: Bool
        /// What becomes of its targets when its object is deleted: `nullify`, `cascade` or `deny`.
        public let deleteRule: String
        /// Whether a list in a reply is always merged in, or always the whole membership; nil where the reply decides.
        public let merges: Bool?

        /// The table and column that keep a relationship.
        public struct Storage: Sendable, Hashable, Encodable {
            /// The model's own table, the members', or one with a row for each membership.
            public let table: String
            /// The column of the links; nil for a table with a row for each membership.
            public let column: String?
        }

        /// The other direction of a relationship.
        public struct Inverse: Sendable, Hashable, Encodable {
            /// The class that has it.
            public let model: String
            /// Its Swift name.
            public let property: String
            /// Why the two belong together.
            public let rule: String
        }
    }

    /// A request that the model or a relationship has a URL for.
    public struct Route: Sendable, Hashable, Encodable {
        /// What it is for: `index`, `save`, `$issues.fetch`.
        public let name: String
        /// The HTTP method.
        public let method: String
        /// The template of the URL below the API's base URL.
        public let template: String
        /// The rule that made the template.
        public let rule: String
    }

    /// Something about the bodies of requests or replies, or about writes.
    public struct Body: Sendable, Hashable, Encodable {
        /// What it is about: `a list in a reply`.
        public let name: String
        /// How it is: `at "items" or bare`.
        public let value: String
        /// Where that is declared.
        public let rule: String

        fileprivate var cells: [String] { [name, value, rule] }
    }
}

// MARK: Printing

extension Explanation: CustomStringConvertible {
    /// The same as JSON with sorted keys, indented.
    public var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // Text, booleans and lists of them can always be encoded.
        guard let json = try? encoder.encode(self) else { return "{}" }
        return String(decoding: json, as: UTF8.self)
    }

    /// What `store.explain(_:)` gives.
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

    /// Two lines for each: what it is and its JSON keys; below, where it is kept and why.
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

    /// The cells, each column as wide as its widest.
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
