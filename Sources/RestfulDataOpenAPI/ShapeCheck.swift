import Conventions
import ObjectStore
import OpenAPIFiles
import RestfulData

struct ModelExchange {
    let call: OpenAPIReport.Call
    let model: ModelSchema
    let operation: OpenAPIOperation

    var isCreation: Bool { call.route == "create" || call.route.hasSuffix(".add") }
    var isSave: Bool { call.route == "save" }
}

/// Compares properties with the schemas of their operations.
struct ShapeCheck {
    let description: OpenAPIDescription
    let store: Store
    let exchanges: [ModelExchange]

    /// First of properties in order, then of requests.
    func differences(of model: ModelSchema) -> [OpenAPIReport.Difference] {
        let own = exchanges.filter { $0.model === model }
        // JSON:API has attributes at other paths.
        guard !own.isEmpty, store.schema.style(of: model).document == .plain else { return [] }
        let replies = own.compactMap { exchange in
            description.content(of: exchange.operation)?.schema.map { ReplyShape(exchange: exchange, schema: $0) }
        }
        return envelopeDifferences(own, of: model) + replyDifferences(replies, of: model, path: [])
            + formDifferences(own, of: model) + own.flatMap { bodyDifferences($0, of: model) }
    }

    private struct ReplyShape {
        let exchange: ModelExchange
        let schema: JSONSchema
    }

    // MARK: Replies

    private func replyDifferences(
        _ replies: [ReplyShape], of model: ModelSchema, path: [String]
    ) -> [OpenAPIReport.Difference] {
        model.declared.flatMap { property -> [OpenAPIReport.Difference] in
            guard property.isRead, !property.isAtRoot, property.choice == nil else { return [] }
            let names = [property.jsonPath] + (model.identityPath(of: property).map { [$0] } ?? [])
            let found = replies.map { reply in
                (reply, names.map { description.value(at: $0, of: reply.schema) })
            }
            if found.contains(where: { $0.1.contains(.unknown) }) || found.isEmpty { return [] }
            let values = found.flatMap { reply, values in
                values.compactMap { value in if case .known(let meaning) = value { (reply, meaning) } else { nil } }
            }
            let name = (path + [property.name]).joined(separator: ".")
            let owner = path.isEmpty ? model : replies.first?.exchange.model ?? model
            guard let first = values.first else {
                return path.isEmpty && comesByPath(property, of: model)
                    ? [] : [missing(property, named: name, of: owner, found.map(\.0))]
            }
            if property.target != nil, let target = store.schema.target(of: property), target.isEmbedded,
                path.count < 4
            {
                let inner = values.compactMap { reply, meaning -> ReplyShape? in
                    let schema = meaning.items ?? meaning.schema
                    return schema.map { ReplyShape(exchange: reply.exchange, schema: $0) }
                }
                return replyDifferences(inner, of: target, path: path + [property.name])
            }
            guard values.allSatisfy({ !property.reads($0.1.meaning) }) else { return [] }
            return [
                OpenAPIReport.Difference(
                    model: owner.modelName, property: name, operation: "\(first.0.exchange.operation)",
                    reason: "the service sends \(Self.words(of: first.1.meaning)), and the property reads "
                        + property.expectation)
            ]
        }
    }

    /// Whether replies may lack the property: an owner whose name is in the URL, or a list with its own URL.
    private func comesByPath(_ property: Property, of model: ModelSchema) -> Bool {
        if property.link != nil { return model.hasInURL(property) }
        let routes = store.explanation(of: model.type)?.routes ?? []
        return property.list != nil && routes.contains { $0.name.hasPrefix("$\(property.name).") }
    }

    private func missing(
        _ property: Property, named name: String, of model: ModelSchema, _ replies: [ReplyShape]
    ) -> OpenAPIReport.Difference {
        let json = property.jsonPath.joined(separator: ".")
        let known = replies.flatMap { description.meaning(of: $0.schema).properties.map(\.name) }
        let nearest = nearestName(to: json, among: known).map { "; did you mean \"\($0)\"?" } ?? ""
        return OpenAPIReport.Difference(
            model: model.modelName, property: name, operation: replies.first.map { "\($0.exchange.operation)" },
            reason: "no reply has \"\(json)\"\(nearest)")
    }

    private static func words(of meaning: JSONMeaning) -> String {
        let types = meaning.types.map { type in
            switch type {
            case "integer": "a whole number"
            case "boolean": "true or false"
            case "array", "object": "an \(type)"
            default: "a \(type)"
            }
        }
        return types.joined(separator: " or ")
    }

    // MARK: Envelopes

    /// For lists and objects under another key than the model expects.
    private func envelopeDifferences(
        _ exchanges: [ModelExchange], of model: ModelSchema
    ) -> [OpenAPIReport.Difference] {
        let declared = store.envelope(of: model)
        let found = exchanges.compactMap { exchange -> OpenAPIReport.Difference? in
            let (key, paths, advice): (String, [[String]], String)
            switch description.content(of: exchange.operation) {
            case .list(_, let wrapper?) where !exchange.isCreation:
                (key, paths, advice) = (wrapper, declared.list, "envelope: .list(\"\(wrapper)\")")
            case .object(_, let wrapper?):
                (key, paths, advice) = (wrapper, declared.object, "envelope: .named(\"\(wrapper)\")")
            default: return nil
            }
            guard !paths.contains([key]) else { return nil }
            return OpenAPIReport.Difference(
                model: model.modelName, property: nil, operation: "\(exchange.operation)",
                reason:
                    "the reply has it at \"\(key)\": write \(advice) in @Model, or envelopes: in the API's conventions")
        }
        // Gives equal advice once.
        var seen: Set<String> = []
        return found.filter { seen.insert($0.reason).inserted }
    }

    // MARK: Bodies

    /// For operations that take only forms although the API sends JSON, or the reverse.
    private func formDifferences(_ exchanges: [ModelExchange], of model: ModelSchema) -> [OpenAPIReport.Difference] {
        guard store.apis.indices.contains(model.api.rawValue) else { return [] }
        let sendsForms = store.apis[model.api.rawValue].conventions.bodies == .form
        let found = exchanges.first { exchange in
            guard exchange.isCreation || exchange.isSave, let content = exchange.operation.body?.content else {
                return false
            }
            let isForm = content.contains { $0.mediaType == "application/x-www-form-urlencoded" }
            let isJSON = content.contains { $0.isJSON }
            return sendsForms ? isJSON && !isForm : isForm && !isJSON
        }
        guard let found else { return [] }
        let (sent, taken, advice) = sendsForms ? ("a form", "JSON", ".json") : ("JSON", "forms", ".form")
        return [
            OpenAPIReport.Difference(
                model: model.modelName, property: nil, operation: "\(found.operation)",
                reason:
                    "\(found.call) sends \(sent), and the service takes \(taken): write bodies = \(advice) in the API's "
                    + "conventions")
        ]
    }

    private func bodyDifferences(_ exchange: ModelExchange, of model: ModelSchema) -> [OpenAPIReport.Difference] {
        // The call makes bodies with files.
        guard exchange.isCreation || exchange.isSave, let schema = exchange.operation.bodySchema,
            exchange.operation.body?.content.contains(where: { $0.mediaType != "multipart/form-data" }) ?? false
        else { return [] }
        let meaning = body(schema)
        guard meaning.types == ["object"], !meaning.properties.isEmpty else { return [] }
        let sent = model.declared.filter { exchange.isCreation ? $0.isSentByCreation : $0.isSentBySave }
            .filter { !model.identity.contains($0.index) && !($0.target != nil && model.hasInURL($0)) }
        func key(_ property: Property) -> String {
            if let sent = property.sentPath { return sent[0] }
            let isNamed = property.target != nil && property.sendsIdentity
            return (isNamed ? model.identityPath(of: property)?.first : nil) ?? property.jsonPath[0]
        }
        let taken = Set(meaning.properties.map { InboundNames.looseKey(for: $0.name) })
        let refused = sent.filter { property in
            !taken.contains(InboundNames.looseKey(for: key(property)))
                && (property.sentPath != nil || !taken.contains(InboundNames.looseKey(for: property.jsonPath[0])))
        }
        let names = Set(
            model.declared.filter { exchange.isCreation ? $0.isSentByCreation : $0.isSentBySave }.flatMap {
                [InboundNames.looseKey(for: key($0)), InboundNames.looseKey(for: $0.jsonPath[0])]
            })
        let lacking = meaning.properties.filter {
            $0.isRequired && !names.contains(InboundNames.looseKey(for: $0.name))
        }
        var differences: [OpenAPIReport.Difference] = []
        if !refused.isEmpty, meaning.others == nil {
            differences.append(difference(exchange, model, refused: refused.map(key)))
        }
        if !lacking.isEmpty, !exchange.isSave {
            let list = lacking.map { "\"\($0.name)\"" }.joined(separator: ", ")
            differences.append(
                OpenAPIReport.Difference(
                    model: model.modelName, property: nil, operation: "\(exchange.operation)",
                    reason: "the service needs \(list), which \(exchange.call) doesn't send: declare a property"))
        }
        return differences
    }

    private func difference(
        _ exchange: ModelExchange, _ model: ModelSchema, refused: [String]
    ) -> OpenAPIReport.Difference {
        let list = refused.map { "\"\($0)\"" }.joined(separator: ", ")
        let access = exchange.isSave ? ".readOnly or .createOnly" : ".readOnly"
        return OpenAPIReport.Difference(
            model: model.modelName, property: nil, operation: "\(exchange.operation)",
            reason: "\(exchange.call) may send \(list), which the service doesn't take: write @Attribute(access: "
                + "\(access)), or @Relationship(sentAs: .never)")
    }

    /// An object that is the body's only member stands for the body.
    private func body(_ schema: JSONSchema) -> JSONMeaning {
        let meaning = description.meaning(of: schema)
        guard meaning.properties.count == 1, description.isObject(meaning.properties[0].schema) else { return meaning }
        return description.meaning(of: meaning.properties[0].schema)
    }
}

// MARK: Values in schemas

enum SchemaValue: Equatable {
    case known(KnownValue)
    case missing
    /// The schema leaves its properties open.
    case unknown

    static func == (left: SchemaValue, right: SchemaValue) -> Bool {
        switch (left, right) {
        case (.missing, .missing), (.unknown, .unknown): true
        default: false
        }
    }
}

struct KnownValue {
    let meaning: JSONMeaning
    let schema: JSONSchema?
    var items: JSONSchema? { meaning.items }
}

extension OpenAPIDescription {
    func value(at path: [String], of schema: JSONSchema) -> SchemaValue {
        var schema = schema
        for key in path {
            let meaning = meaning(of: schema)
            guard !meaning.properties.isEmpty else { return .unknown }
            let loose = InboundNames.looseKey(for: key)
            let property =
                meaning.properties.first { $0.name == key }
                ?? meaning.properties.first { InboundNames.looseKey(for: $0.name) == loose }
            guard let property else { return meaning.others == nil ? .missing : .unknown }
            schema = property.schema
        }
        return .known(KnownValue(meaning: meaning(of: schema), schema: schema))
    }
}

// MARK: What properties read and send

extension ModelSchema {
    /// Such as `["links", "owner_id"]`.
    fileprivate func identityPath(of relationship: Property) -> [String]? {
        identityKey(of: relationship).map { $0.keyPathKeys ?? [$0] }
    }
}

extension Property {
    private var access: AttributeAccess? {
        if case .attribute(_, _, let options) = kind { options.access } else { nil }
    }
    private var sending: RelationshipSending? { link?.options.sentAs ?? list?.options.sentAs }

    var isRead: Bool { access != .writeOnly }
    var isSentByCreation: Bool { access.map { $0 != .readOnly } ?? (sending != .never && list?.isOfLinks != true) }
    var isSentBySave: Bool { access == .createOnly ? false : isSentByCreation }
    var sendsIdentity: Bool { sending == .identities || sending == .conventional }

    func reads(_ meaning: JSONMeaning) -> Bool {
        guard !meaning.types.isEmpty else { return true }
        guard case .attribute(let kind, _, let options) = kind else {
            let types = list == nil ? ["object", "string", "integer"] : ["array", "object"]
            return meaning.types.contains { types.contains($0) }
        }
        if options.transformer != nil { return true }
        return kind.types.map { types in meaning.types.contains { types.contains($0) } } ?? true
    }

    /// In words.
    var expectation: String {
        guard case .attribute(let kind, _, _) = kind else { return list == nil ? "an object" : "an array of objects" }
        return kind.expectation
    }
}

extension AttributeKind {
    /// JSON Schema's types that are read losslessly; nil for any.
    fileprivate var types: Set<String>? {
        switch self {
        case .boolean: ["boolean"]
        case .integer, .unsigned, .wideInteger: ["integer"]
        case .real, .float: ["number", "integer"]
        case .decimal: ["number", "integer", "string"]
        case .text: ["string", "integer", "number", "boolean"]
        case .date: ["string", "integer", "number"]
        case .data, .url, .uuid: ["string"]
        case .json: nil
        case .list, .set: ["array"]
        case .dictionary: ["object"]
        }
    }
}
