import Conventions
import ObjectStore

/// The envelopes of all models, made and checked when the store opens.
struct EnvelopeTable: Sendable {
    /// The key paths of one model's envelopes.
    struct Envelope: Sendable {
        /// Where an object may stand in a reply.
        var object: [[String]] = []
        /// Where a list may stand in a reply.
        var list: [[String]] = []
        /// Where an object stands in a request; empty for the body itself.
        var sent: [String] = []
    }

    /// By the table's index.
    private(set) var envelopes: [Envelope] = []

    init(_ schema: Schema, _ conventions: APIConventions, _ problems: inout [String]) {
        if conventions.document == .jsonAPI, conventions.envelopes != .none {
            problems.append("the API's conventions wrap objects in envelopes, but JSON:API documents have their own")
        }
        if conventions.document == .jsonAPI, conventions.bodies == .form {
            problems.append("the API's conventions write bodies as forms, but JSON:API documents are JSON")
        }
        let mapping = AttributeMapping(schema.conventions)
        for table in schema.tables {
            envelopes.append(Self.envelope(of: table, conventions, mapping, &problems))
        }
    }

    private static func envelope(
        of table: ModelSchema, _ conventions: APIConventions, _ mapping: AttributeMapping, _ problems: inout [String]
    ) -> Envelope {
        guard conventions.document == .plain else {
            if table.options.envelope != .conventional {
                problems.append("\(table.modelName) declares an envelope, but JSON:API documents have their own")
            }
            return Envelope()
        }
        var envelope = Envelope()
        switch table.options.envelope {
        case .none: return envelope
        case .named(let object, let list):
            let list = list ?? AttributeMapping.pluralizingLastWord(of: object)
            envelope = Envelope(object: [path(object)], list: [path(list)], sent: path(object))
        case .conventional:
            let envelopes = conventions.envelopes
            let object = mapping.objectName(forModelNamed: table.modelName).name
            let list = mapping.listName(forModelNamed: table.modelName).name
            envelope = Envelope(
                object: envelopes.object.map { path($0, named: object) },
                list: envelopes.list.map { path($0, named: list) },
                sent: envelopes.sent.map { path($0, named: object) } ?? [])
        }
        for path in envelope.object + envelope.list + [envelope.sent] where path.contains("") {
            problems.append(
                "\(table.modelName)'s envelope \"\(path.joined(separator: "."))\" has an empty key; write keys with dots "
                    + "between them, as in \"response.issue\"")
        }
        return envelope
    }

    private static func path(_ key: APIConventions.Envelopes.Key, named name: String) -> [String] {
        switch key {
        case .modelName: [name]
        case .key(let text): path(text)
        }
    }

    private static func path(_ text: String) -> [String] {
        text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }

    func envelope(of table: ModelSchema) -> Envelope {
        envelopes.indices.contains(table.index) ? envelopes[table.index] : Envelope()
    }
}
