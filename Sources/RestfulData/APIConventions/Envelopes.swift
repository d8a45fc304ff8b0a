import Conventions
public import ObjectStore

extension APIConventions {
    /// The wrappers of an object and of a list.
    ///
    /// | | an object | a list |
    /// |---|---|---|
    /// | ``none`` | `{"id": 1}` | `[{"id": 1}]` |
    /// | ``byName`` | `{"issue": {"id": 1}}` | `{"issues": [{"id": 1}]}` |
    /// | ``keyed(_:)`` `"data"` | `{"data": {"id": 1}}` | `{"data": [{"id": 1}]}` |
    /// | ``lists(_:)`` `"items"` | `{"id": 1}` | `{"items": [{"id": 1}]}` |
    ///
    /// Elements may be wrapped as well: ``element`` `"resource"` reads `{"data": [{"resource": {…}}]}`. Only a response
    /// type reads other keys (<doc:ResponseTypes>).
    ///
    /// If a reply lacks the key, the body itself is the object or list.
    public struct Envelopes: Sendable, Hashable {
        /// The possible keys of an object in a reply. The first one in the reply counts.
        public var object: [Key]
        /// The possible keys of a list in a reply.
        public var list: [Key]
        /// The key of the object within each element of a list in a reply; nil for the element itself.
        public var element: Key?
        /// The key of an object in a request; nil for the body itself.
        public var sent: Key?

        /// Makes envelopes; by default none.
        public init(object: [Key] = [], list: [Key] = [], element: Key? = nil, sent: Key? = nil) {
            self.object = object
            self.list = list
            self.element = element
            self.sent = sent
        }

        /// The object or list itself is the body.
        public static let none = Envelopes()
        /// Uses the model's name, singular and plural, in replies and requests.
        public static let byName = Envelopes(object: [.modelName], list: [.modelName], sent: .modelName)
        /// Uses one key or key path, `"data"` or `"response.result"`, in replies and requests.
        public static func keyed(_ key: Key) -> Envelopes { Envelopes(object: [key], list: [key], sent: key) }
        /// Uses one key or key path, such as `"items"` or `"results"`, for lists in replies only.
        public static func lists(_ key: Key) -> Envelopes { Envelopes(list: [key]) }
    }
}

extension APIConventions.Envelopes {
    /// The key of an envelope.
    public enum Key: Sendable, Hashable, ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
        /// The model's name in the API's letter case: `pull_request`, and `pull_requests` for a list.
        case modelName
        /// The model's name within these keys: `["_embedded"]` for `_embedded.pull_requests`.
        case modelNameWithin(JSONKeyPath)
        /// A key, or a key path with dots between the keys.
        case key(String)
        /// Nested keys from the outermost to the innermost. A dot is part of a key.
        case keys(JSONKeyPath)

        /// A key, or a key path with dots between the keys.
        public init(stringLiteral value: String) { self = .key(value) }
        /// Nested keys from the outermost to the innermost. A dot is part of a key.
        public init(arrayLiteral elements: String...) { self = .keys(JSONKeyPath(elements)) }
    }
}

/// Checked when the store opens.
package struct EnvelopeTable: Sendable {
    package struct Envelope: Sendable {
        /// Possible places in a reply.
        package var object: [[String]] = []
        /// Possible places in a reply.
        package var list: [[String]] = []
        /// Within an element of a list; empty for the element itself.
        package var element: [String] = []
        /// In a request; empty for the body itself.
        package var sent: [String] = []
    }

    /// By the table's index.
    private var envelopes: [Envelope] = []
    package private(set) var problems: [String] = []

    package init(_ schema: Schema, of api: APIIndex, _ conventions: APIConventions) {
        if conventions.document == .jsonAPI, conventions.envelopes != .none {
            problems.append("the API's conventions wrap objects in envelopes, but JSON:API documents have their own")
        }
        if conventions.document == .jsonAPI, conventions.bodies == .form {
            problems.append("the API's conventions write bodies as forms, but JSON:API documents are JSON")
        }
        if conventions.document == .jsonAPI, conventions.typeKey != nil {
            problems.append("the API's conventions name a key of the objects' type, but JSON:API documents have `type`")
        }
        let mapping = AttributeMapping(conventions.names)
        for model in schema.roots {
            guard model.api == api else {
                envelopes.append(Envelope())
                continue
            }
            let envelope =
                conventions.document == .plain
                ? Envelope(of: model, by: conventions.envelopes, mapping) : documentEnvelope(of: model)
            for path in envelope.object + envelope.list + [envelope.element, envelope.sent]
            where path.contains("") {
                problems.append(
                    "\(model.modelName)'s envelope \"\(path.joined(separator: "."))\" has an empty key; write keys with "
                        + "dots between them, as in \"response.issue\"")
            }
            envelopes.append(envelope)
        }
    }

    private mutating func documentEnvelope(of model: ModelSchema) -> Envelope {
        if model.options.envelope != .conventional {
            problems.append("\(model.modelName) declares an envelope, but JSON:API documents have their own")
        }
        return Envelope()
    }

    package func envelope(of model: ModelSchema) -> Envelope {
        envelopes.indices.contains(model.table.rawValue) ? envelopes[model.table.rawValue] : Envelope()
    }
}

extension EnvelopeTable.Envelope {
    fileprivate init(
        of model: ModelSchema, by conventions: APIConventions.Envelopes, _ mapping: AttributeMapping
    ) {
        let name = mapping.objectName(forModelNamed: model.modelName).name
        let listName = mapping.listName(forModelNamed: model.modelName).name
        switch model.options.envelope {
        case .none:
            self.init()
            return
        case .list(let list): self.init(list: [list.envelopeKeys])
        case .named(let object, let list):
            let list = list ?? AttributeMapping.pluralizingLastWord(of: object)
            self.init(object: [object.envelopeKeys], list: [list.envelopeKeys], sent: object.envelopeKeys)
        case .conventional:
            self.init(
                object: conventions.object.map { $0.path(named: name) },
                list: conventions.list.map { $0.path(named: listName) },
                sent: conventions.sent.map { $0.path(named: name) } ?? [])
        }
        element = conventions.element.map { $0.path(named: name) } ?? []
    }
}

extension APIConventions.Envelopes.Key {
    fileprivate func path(named name: String) -> [String] {
        switch self {
        case .modelName: [name]
        case .modelNameWithin(let path): path.keys + [name]
        case .key(let text): text.envelopeKeys
        case .keys(let path): path.keys
        }
    }
}

extension String {
    fileprivate var envelopeKeys: [String] { keyPathKeys ?? [""] }
}
