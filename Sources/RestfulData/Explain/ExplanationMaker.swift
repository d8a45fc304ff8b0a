import Conventions
import HTTPTypes
import ObjectStore

struct ExplanationMaker {
    let model: ModelSchema
    let schema: Schema
    let shapes: LearnedShapes
    let clients: APIClients?
    let writes: WriteTiming

    var client: APIClient? { clients?[model.api] }

    var explanation: Explanation {
        let derived = AttributeMapping.tableName(forModelNamed: model.modelName)
        return Explanation(
            model: model.modelName,
            table: Explanation.Table(
                name: model.tableName,
                rule: derived.name == model.tableName
                    ? derived.explanation
                    : model.submodel.isRoot
                        ? "named in @Model(table:)" : "that of \(schema[model.table].modelName)"),
            identity: model.isEmbedded ? [] : model.identity.map { model[$0].name },
            key: model.key.map { model[$0].name }, isEmbedded: model.isEmbedded, family: family,
            api: clients.flatMap { $0.all.count > 1 ? RedactedURL.text(of: $0[model.api].api.baseURL) : nil },
            warnings: ModelWarnings(schema: schema, client: client).texts(of: model),
            attributes: model.declared.compactMap(attribute),
            relationships: model.declared.compactMap(relationship), routes: routes, bodies: bodies,
            offline: offline)
    }

    private var family: Explanation.Family? {
        guard let family = model.family else { return nil }
        let root = schema[model.table]
        let members = model.submodel.isRoot ? root.submodels : [model]
        return Explanation.Family(
            parent: model.submodel.isRoot ? nil : root.modelName,
            discriminator: Self.key(of: model[family.discriminator]),
            isInteger: family.allValues.contains { if case .integer = $0 { true } else { false } },
            members: members.map {
                Explanation.Family.Member(model: $0.modelName, values: family.values(of: $0.submodel).map(Self.text))
            })
    }

    private static func text(_ value: StoredValue) -> String {
        switch value {
        case .integer(let number): "\(number)"
        case .text(let text): text
        default: ""
        }
    }

    /// Empty if the property's keys are among the object's own.
    private static func key(of property: Property) -> String {
        property.isAtRoot ? "" : property.jsonPath.joined(separator: ".")
    }

    private func rule(of property: Property) -> String { model.names?[property.index.rawValue].explanation ?? "" }

    private func attribute(_ property: Property) -> Explanation.Attribute? {
        guard case .attribute(_, _, let options) = property.kind, let column = property.column,
            property.choice == nil
        else { return nil }
        let relationship = model.relationshipsAtKeys[property.index].map { model[$0] }
        let access: [String] =
            switch options.access {
            case .readWrite: []
            case .readOnly:
                relationship.map { $0.isSentByIdentityKey ? ["never sent, but as \($0.name)"] : ["never sent"] }
                    ?? ["never sent"]
            case .writeOnly: ["never taken from replies, and forgotten once sent"]
            case .createOnly: ["sent at creation only"]
            }
        let always = options.alwaysSent ? ["always sent"] : []
        let beside =
            options.access == .readOnly
            ? [] : relationship.map { ["sent beside \($0.name), whose identities it holds"] } ?? []
        let learned = property.sentPath == nil ? learnedKey(of: property) : nil
        let spelling = learned.map { ["goes out as \"\($0)\", as the server has spelt it"] } ?? []
        return Explanation.Attribute(
            name: property.name, json: Self.key(of: property), column: model[column].name,
            type: model[column].type.rawValue, rule: rule(of: property),
            notes: access + always + beside + property.wireNotes + spelling + sentKeyNote(property))
    }

    private func sentKeyNote(_ attribute: Property) -> [String] {
        attribute.sentPath.map { ["sent as \"\($0.joined(separator: "."))\""] } ?? []
    }

    /// nil for the key by convention.
    private func learnedKey(of property: Property) -> String? {
        shapes.identityKey(of: property, in: model)
            ?? shapes.learnedPath(of: property, in: model)?.joined(separator: ".")
    }
}

// MARK: Relationships

extension ExplanationMaker {
    private func relationship(_ property: Property) -> Explanation.Relationship? {
        if let choice = property.choice { return relationship(property, choice) }
        guard let options = property.link?.options ?? property.list?.options else { return nil }
        return Explanation.Relationship(
            name: property.name, target: (schema.target(of: property) ?? model).modelName,
            isList: property.list != nil,
            json: [Self.key(of: property)] + (model.identityKey(of: property).map { [$0] } ?? []),
            rule: rule(of: property), storage: storage(of: property), inverse: inverse(of: property, options),
            sending: sending(of: property, options), owns: options.owns, deleteRule: "\(options.onDelete)",
            merges: options.merges)
    }

    /// To one of several models.
    private func relationship(_ property: Property, _ choice: Choice) -> Explanation.Relationship {
        let targets = choice.links.compactMap { schema.target(of: model[$0])?.modelName }
        let columns = choice.links.compactMap { model[$0].column.map { model[$0].name } }
        let isResource = schema.style(of: model).document == .jsonAPI
        let pair = [choice.typePath, choice.identityPath].map { $0.joined(separator: ".") }
        let key = choice.choices.key
        let sending =
            switch choice.options.sentAs {
            case .never: "not sent"
            case _ where isResource: "sent as linkage"
            case .identities: "sent as \"\(pair[0])\" and \"\(pair[1])\""
            default: "sent as \"\(Self.key(of: property))\" by \(key) and identity"
            }
        return Explanation.Relationship(
            name: property.name, target: targets.joined(separator: " or "), isList: false,
            json: [Self.key(of: property)] + (isResource ? [] : pair), rule: rule(of: property),
            storage: Explanation.Relationship.Storage(
                table: model.tableName, column: columns.joined(separator: ", ")),
            inverse: nil, sending: sending, owns: false, deleteRule: "\(choice.options.onDelete)", merges: nil)
    }

    private func storage(of property: Property) -> Explanation.Relationship.Storage {
        switch property.list?.storage {
        case nil:
            Explanation.Relationship.Storage(
                table: model.tableName, column: property.column.map { model[$0].name } ?? "")
        case .column(_, let column, _):
            Explanation.Relationship.Storage(
                table: property.list.map { schema[$0.target].tableName } ?? "", column: column)
        case .join(let join, _): Explanation.Relationship.Storage(table: join.name, column: nil)
        }
    }

    private func inverse(
        of property: Property, _ options: RelationshipOptions
    ) -> Explanation.Relationship.Inverse? {
        guard let index = property.inverse,
            let target = property.target
        else { return nil }
        let other = schema[target][index]
        let others = other.link?.options ?? other.list?.options
        let rule =
            if case .named = options.inverse { "declared" } else if case .named = others?.inverse {
                "declared there"
            } else {
                "the only way back"
            }
        return Explanation.Relationship.Inverse(
            model: schema[target].modelName, property: other.name, rule: rule)
    }

    private func sending(of property: Property, _ options: RelationshipOptions) -> String {
        let learned = property.sentPath?.joined(separator: ".") ?? learnedKey(of: property)
        let json = learned ?? Self.key(of: property)
        if property.link != nil, model.hasInURL(property) { return "said by the URL, so not sent" }
        if schema.style(of: model).document == .jsonAPI, options.sentAs != .never { return "sent as linkage" }
        return switch options.sentAs {
        case .identities, .conventional: "sent as \"\(learned ?? model.identityKey(of: property) ?? json)\""
        case .identitiesByName: "sent as \"\(json)\" by identity"
        case .key(let name): "sent as \"\(json)\" by \(name)"
        case .nested: property.sentPath == nil ? "sent whole" : "sent whole as \"\(json)\""
        case .never: "not sent"
        }
    }
}

// MARK: Routes

extension ExplanationMaker {
    private var routes: [Explanation.Route] {
        guard let client else { return [] }
        return modelRoutes(client)
            + model.declared.flatMap { property in
                relationshipRoutes(property, schema.target(of: property).flatMap { clients?[$0.api] } ?? client)
            }
    }

    private func modelRoutes(_ client: APIClient) -> [Explanation.Route] {
        guard let routes = client.routes.routes(of: model) else { return [] }
        let isPut = client.createMethod(of: model) == .put
        let index = model.options.singular ? [] : [("index", "GET")]
        let collection = (index + (isPut ? [] : [("create", "POST")])).map { name, method in
            routes.explained(
                Explanation.Route(name: name, method: method, template: "\(routes.base)", rule: "the base URL"))
        }
        guard let object = routes.object else { return collection }
        let save = HTTPRequest.Method(client.saveMethod(of: model)).rawValue
        let isDeclared = (model.options.saveMethod ?? schema[model.table].options.saveMethod) != nil
        let declared =
            (client.saveMethod(of: model).changeFormat.words.map { "; the body is \($0)" } ?? "")
            + (isDeclared ? "; the method is declared" : "")
            + (client.isRenamedByServer(model) ? "; the reply may give the object another identity" : "")
        let slashes = routes.keyIsPath ? ", whose slashes stand as they are" : ""
        let rule =
            model.options.singular
            ? "the base URL of the one object" : "the base URL and the key \"\(routes.keyName ?? "")\"\(slashes)"
        let own =
            (isPut ? [("create", "PUT", "")] : [])
            + [("fetch", "GET", ""), ("save", save, declared), ("delete", "DELETE", "")]
        return collection
            + own.map { name, method, note in
                routes.explained(
                    Explanation.Route(name: name, method: method, template: "\(object)", rule: rule + note))
            }
    }

    private func relationshipRoutes(_ property: Property, _ client: APIClient) -> [Explanation.Route] {
        guard let route = client.routes.route(of: property, in: model) else { return [] }
        let target = schema.target(of: property)
        let place = client.index == model.api ? "" : ", at \(RedactedURL.text(of: client.api.baseURL))"
        let rule =
            (route.isDerived ? target.map { "derived from \($0.modelName)'s base URL" } ?? "derived" : "registered")
            + place
        let name = "$\(property.name)"
        let verbs = (property.link?.options ?? property.list?.options)?.verbs ?? .all
        let fetch = Explanation.Route(name: "\(name).fetch", method: "GET", template: "\(route.template)", rule: rule)
        var routes = verbs.contains(.fetch) ? [fetch] : []
        guard property.list != nil, let target else { return routes }
        if verbs.contains(.add) {
            routes.append(
                Explanation.Route(name: "\(name).add", method: "POST", template: "\(route.template)", rule: rule))
            routes += linkingRoute(of: property, at: route.template, client).map { [$0] } ?? []
        }
        guard verbs.contains(.delete), let key = target.key.map({ Self.key(of: target[$0]) }) else { return routes }
        let removal = property.list?.options.removal ?? .byURL
        var effect = [.deletes: "; it deletes the object", .unlinks: "; it only unlinks the object"][removal] ?? ""
        if client.api.conventions.removals == .withBody, !route.isDerived, removal != .deletes {
            effect += "; unless that is the object's own URL, it is sent to the list's with the object in the body"
        }
        let own = client.routes.routes(of: target).flatMap { $0.isDeclared && route.isDerived ? $0.object : nil }
        routes.append(
            Explanation.Route(
                name: "\(name).delete", method: "DELETE", template: "\(own ?? route.template.appending(key: key))",
                rule: rule + effect))
        return routes
    }
}

extension RouteTable.ModelRoutes {
    fileprivate func explained(_ route: Explanation.Route) -> Explanation.Route {
        let label = route.name == "save" ? "update" : route.name
        guard let verb = RouteTable.Verb(rawValue: label), let template = declared[verb] else { return route }
        return Explanation.Route(
            name: route.name, method: route.method, template: "\(template)", rule: "declared by \(label):")
    }
}

extension ExplanationMaker {
    /// nil if the list's own route adds existing objects.
    private func linkingRoute(
        of property: Property, at list: RouteTemplate, _ client: APIClient
    ) -> Explanation.Route? {
        guard case .join = property.list?.storage, let target = schema.target(of: property),
            let key = target.key.map({ Self.key(of: target[$0]) })
        else { return nil }
        let declared = property.list?.options.adds
        let method: String
        switch declared ?? client.api.conventions.memberships {
        case .post(hasBody: true): return nil
        case .post: method = "POST"
        case .put: method = "PUT"
        }
        let rule = "of a member that the server knows; "
        return Explanation.Route(
            name: "$\(property.name).add", method: method, template: "\(list.appending(key: key))",
            rule: rule + (declared == nil ? Self.conventional : "declared by adds:"))
    }
}

// MARK: Bodies

extension ExplanationMaker {
    private var bodies: [Explanation.Body] {
        guard let client else { return [] }
        let conventions = client.api.conventions
        let envelope = client.envelopes.envelope(of: model)
        let rule = model.options.envelope == .conventional ? Self.conventional : "named in @Model(envelope:)"
        let sent = envelope.sent.isEmpty ? [] : [envelope.sent]
        var bodies = [
            ("an object in a reply", envelope.object, " or bare"), ("a list in a reply", envelope.list, " or bare"),
            ("an element of a list", envelope.element.isEmpty ? [] : [envelope.element], " or bare"),
            ("an object sent", sent, ""),
        ]
        .filter { !$0.1.isEmpty }.map { name, paths, otherwise in
            let places = paths.map { "at \"\($0.joined(separator: "."))\"" }.joined(separator: " or ")
            return Explanation.Body(name: name, value: places + otherwise, rule: rule)
        }
        if conventions.document == .jsonAPI {
            let rule = model.options.resourceType == nil ? "by convention" : "named in @Model(resourceType:)"
            let type = schema.resourceTypes(ofAPIOf: model).type(of: model.table)
            bodies.append(Explanation.Body(name: "resource type", value: "\"\(type)\"", rule: rule))
        }
        if let key = schema.style(of: model).typeKey {
            let type = schema.resourceTypes(ofAPIOf: model).type(of: model)
            let rule = model.options.resourceType == nil ? "by convention" : "named in @Model(resourceType:)"
            bodies.append(Explanation.Body(name: "resource type", value: "\"\(type)\" at \"\(key)\"", rule: rule))
        }
        if let pages = client.paging(of: model).words {
            let isOwn = (model.options.paging ?? schema[model.table].options.paging) != nil
            let rule = isOwn ? "named in @Model(paging:)" : Self.conventional
            bodies.append(Explanation.Body(name: "the next page", value: pages, rule: rule))
        }
        bodies += freshness(client)
        if conventions.mediaType != "application/json" {
            bodies.append(
                Explanation.Body(name: "media type", value: conventions.mediaType, rule: Self.conventional))
        }
        if conventions.bodies == .form {
            bodies.append(
                Explanation.Body(name: "requests", value: conventions.contentType, rule: Self.conventional))
        }
        return bodies
    }

    private func freshness(_ client: APIClient) -> [Explanation.Body] {
        let root = schema[model.table].options
        var bodies: [Explanation.Body] = []
        if let words = client.policy(of: model).words {
            let isOwn = (model.options.policy ?? root.policy) != nil
            bodies.append(
                Explanation.Body(
                    name: "a fetch", value: words, rule: isOwn ? "named in @Model(policy:)" : "the API's policy"))
        }
        if let changes = model.options.changes ?? root.changes {
            bodies.append(
                Explanation.Body(
                    name: "what has changed", value: "GET \(RedactedURL.text(of: changes.template))",
                    rule: "named in @Model(changes:)"))
        }
        let tombstones = root.tombstones ?? client.api.conventions.tombstones.keys
        if !tombstones.isEmpty, !model.isEmbedded {
            let keys = tombstones.map { "\"\($0)\"" }.joined(separator: " or ")
            let rule = root.tombstones == nil ? Self.conventional : "named in @Model(tombstones:)"
            bodies.append(Explanation.Body(name: "a deleted object", value: "has \(keys)", rule: rule))
        }
        return bodies
    }

    static let conventional = "the API's conventions"
}

extension FetchPolicy {
    fileprivate var words: String? {
        let words: String? =
            switch kind {
            case .revalidate: nil
            case .reload: "asks for all of it, without a condition"
            case .cacheControl: "asks when the server's Cache-Control says so"
            case .ifOlder(let age): "asks when the last answer is older than \(age)"
            case .cached: "asks for what was never fetched"
            case .offline: "asks nobody"
            }
        guard mayFallBack else { return words }
        return (words.map { "\($0); " } ?? "") + "has what is stored where the server can't be reached"
    }
}

extension APIConventions.Paging {
    fileprivate var words: String? {
        switch self {
        case .linkHeader: nil
        case .nextLink(let key): "the URL at \"\(key)\""
        case .more(let key, let parameter): "\"\(parameter)\" with the last identity, where \"\(key)\" is true"
        case .cursor(let key, let parameter): "\"\(parameter)\" with the value at \"\(key)\""
        case .pageHeader(let name, let parameter): "\"\(parameter)\" with the value of the field \(name)"
        case .pageNumber(let parameter, let first): "\"\(parameter)\" with the page's number, from \(first)"
        case .offset(let parameter): "\"\(parameter)\" with the number of elements before it"
        }
    }
}
