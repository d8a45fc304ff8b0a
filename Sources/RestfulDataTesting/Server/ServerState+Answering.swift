import Foundation
import HTTPTypes
import RestfulData

// Executes the declared routes.

extension ServerState {
    /// Returns the reply of the matching route, if a route matches. A request with the `Idempotency-Key` of an earlier
    /// one that succeeded gets its reply again, or a 422 if it is another request
    /// ([draft](https://www.ietf.org/archive/id/draft-ietf-httpapi-idempotency-key-header-07.txt)).
    mutating func answerOnce(_ request: TestServer.Request) -> TestServer.Reply? {
        guard let key = HTTPField.Name("Idempotency-Key").flatMap({ request.headerFields[$0] }) else {
            return answer(request)
        }
        if let known = answers[key] {
            if known.line == request.request.line, known.body == request.body { return known.reply }
            let refusal = Refusal(status: 422, message: "The Idempotency-Key is that of another request")
            return refusal.reply(as: rules.errors, about: nil, map.conventions.mediaType)
        }
        guard let reply = answer(request) else { return nil }
        if 200..<300 ~= reply.status {
            answers[key] = ServerAnswer(line: request.request.line, body: request.body, reply: reply)
        }
        return reply
    }

    /// Returns the reply of the matching route, if a route matches. If several match, the one with the most literal
    /// text whose object exists wins.
    mutating func answer(_ request: TestServer.Request) -> TestServer.Reply? {
        var missing: TestServer.Reply?
        for (route, match) in candidates(for: request) {
            var state = self
            let about = state.subject(of: route)
            do {
                try state.checkPaths(of: request, about: about)
                let reply = try state.perform(route, match, for: request)
                self = state
                return reply
            } catch {
                var refusal = error
                let isGone = map.conventions.tombstones.isGoneDeleted && removedPaths.contains(request.path)
                if error.status == 404, isGone { refusal.status = 410 }
                let reply = refusal.reply(as: rules.errors, about: about, map.conventions.mediaType)
                guard error.status == 404 else { return reply }
                missing = missing ?? reply
            }
        }
        return missing
    }

    private func candidates(for request: TestServer.Request) -> [(ServerRoute, RoutePattern.Match)] {
        let method = request.method == .head ? .get : request.method
        let found = map.routes.filter { $0.method == method }.flatMap { route in
            route.pattern.matches(request.path).map { (route, $0) }
        }
        // Sorting keeps the order of equal routes.
        return found.enumerated().sorted { left, right in
            let (a, b) = (left.element, right.element)
            return (b.0.pattern.literalCount, a.0.rank, a.1.slashes, left.offset)
                < (a.0.pattern.literalCount, b.0.rank, b.1.slashes, right.offset)
        }.map(\.element)
    }

    /// The model of the objects that a route returns.
    private func subject(of route: ServerRoute) -> ModelSchema {
        switch route.action {
        case .list(let property), .add(let property), .remove(let property), .replace(let property),
            .member(let property),
            .addMember(let property), .removeMember(let property), .target(let property):
            schema.target(of: property) ?? route.model
        default: route.model
        }
    }

    private mutating func perform(
        _ route: ServerRoute, _ match: RoutePattern.Match, for request: TestServer.Request
    ) throws(Refusal) -> TestServer.Reply {
        let (model, values) = (route.model, match.values)
        switch route.action {
        case .index:
            _ = try owners(values, of: model)
            return try list(rows(of: model).filter { matches($0, values) }, of: model, by: request)
        case .create: return try create(model, values, for: request)
        case .deleteAll:
            _ = try owners(values, of: model)
            let all = filtered(rows(of: model).filter { matches($0, values) }, of: model, by: request)
            for row in all { try remove(row.number) }
            return .status(204)
        case .updateAll:
            _ = try owners(values, of: model)
            let changes = try json(of: request).members
            let all = filtered(rows(of: model).filter { matches($0, values) }, of: model, by: request)
            for row in all {
                try write(changes, to: row.number, by: .change)
                try check(row.number, by: .change)
            }
            return .status(204)
        case .fetch: return object(try row(of: model, values), request)
        case .put:
            guard let row = try? row(of: model, values) else {
                // A condition on the version of a missing object is false (RFC 9110 §13.1.1).
                if request.headerFields[.ifMatch] != nil { throw Refusal.otherVersion }
                return try create(model, values, for: request)
            }
            if request.headerFields[.ifNoneMatch] == "*" { throw Refusal.otherVersion }
            return try update(row, request)
        case .update: return try update(try row(of: model, values), request)
        case .delete:
            let row = try row(of: model, values)
            try checkConditions(of: request, row)
            try remove(row.number)
            return .status(204)
        default: return try perform(route, about: try row(of: model, values), values, for: request)
        }
    }

    // MARK: Relationships

    private mutating func perform(
        _ route: ServerRoute, about owner: ServerRow, _ values: [[String]: String],
        for request: TestServer.Request
    ) throws(Refusal) -> TestServer.Reply {
        switch route.action {
        case .list(let list): return try members(of: list, owner.number, request)
        case .add(let list): return try add(to: list, owner, request)
        case .remove(let list):
            if request.body.isEmpty, map.conventions.document == .plain {
                try removeAll(of: list, owner)
                return .status(204)
            }
            for member in try namedMembers(of: list, owner, by: request) {
                set(member, isMember: false, of: list, owner.number)
            }
            return .status(204)
        case .replace(let list):
            set(try namedMembers(of: list, owner, by: request), of: list, owner.number)
            return .status(204)
        case .member(let list): return object(try member(of: list, owner, values), request)
        case .addMember(let list):
            set(try target(of: list, values).number, isMember: true, of: list, owner.number)
            return .status(204)
        case .removeMember(let list):
            let member = try member(of: list, owner, values)
            if list.list?.options.removal == .deletes {
                try remove(member.number)
            } else {
                set(member.number, isMember: false, of: list, owner.number)
            }
            return .status(204)
        case .target(let link):
            if let target = owner.links[link.index].flatMap({ rows[$0] }) { return object(target, request) }
            guard map.conventions.document == .jsonAPI else { throw .notFound("There is none") }
            return tagged(["data": .null], request)
        case .linkage(let property): return tagged(["data": linkage(of: property, owner)], request)
        case .replaceLinkage(let property):
            guard let data = try json(of: request)["data"], property.list == nil || data.array != nil else {
                throw Refusal(status: 400, message: "The document has no linkage at data")
            }
            let targets = try targets(data.identities, of: property, in: owner.number, by: .change)
            if property.list != nil {
                set(targets, of: property, owner.number)
            } else {
                relink(property, of: owner.number, to: targets.first)
            }
            return .status(204)
        default: return .status(500)
        }
    }

    private mutating func removeAll(of list: Property, _ owner: ServerRow) throws(Refusal) {
        for member in members(of: list, owner) {
            if list.list?.options.removal == .deletes {
                try remove(member)
            } else {
                set(member, isMember: false, of: list, owner.number)
            }
        }
    }

    /// The members that a body names.
    ///
    /// - Throws: 400 if the body names none.
    private mutating func namedMembers(
        of list: Property, _ owner: ServerRow, by request: TestServer.Request
    ) throws(Refusal) -> [Int] {
        guard let named = try named(list, owner, by: request) else {
            throw Refusal(status: 400, message: "The body names no member")
        }
        return named
    }

    private func members(
        of list: Property, _ owner: Int, _ request: TestServer.Request
    ) throws(Refusal) -> TestServer.Reply {
        guard let row = rows[owner], let target = schema.target(of: list) else { return .status(404) }
        let all = members(of: list, row).compactMap { rows[$0] }.filter(\.isKnown)
        return try self.list(all, of: target, by: request)
    }

    /// Handles a POST to a list: adds the members that the body names, or creates the object that it describes.
    private mutating func add(
        to list: Property, _ owner: ServerRow, _ request: TestServer.Request
    ) throws(Refusal) -> TestServer.Reply {
        if let named = try named(list, owner, by: request) {
            for member in named { set(member, isMember: true, of: list, owner.number) }
            if map.conventions.document == .jsonAPI { return .status(204) }
            return try members(of: list, owner.number, request)
        }
        guard let target = schema.target(of: list) else { throw .notFound("There is no such list") }
        var below: [PropertyIndex: Int] = [:]
        if let inverse = list.inverse, target[inverse].link != nil { below[inverse] = owner.number }
        let number = try create(target, try body(of: request, target), below: below, by: .creation)
        set(number, isMember: true, of: list, owner.number)
        return created(number, by: request)
    }

    /// The members that a body names by the key of the list; nil if the body describes an object.
    private mutating func named(
        _ list: Property, _ owner: ServerRow, by request: TestServer.Request
    ) throws(Refusal) -> [Int]? {
        let body = try json(of: request)
        if map.conventions.document == .jsonAPI {
            guard let data = body["data"], data.array != nil else { return nil }
            return try targets(data.identities, of: list, in: owner.number, by: .change)
        }
        let model = model(of: owner)
        for path in map.identityPaths(of: list, in: model) {
            guard let value = body.members.value(at: path) else { continue }
            return try targets(value, of: list, in: owner.number, isOwnKey: false, by: .change)
        }
        let value = body.members.value(at: list.clientPath) ?? body.members.value(at: list.jsonPath)
        guard let value, value.array != nil else { return nil }
        return try targets(value, of: list, in: owner.number, by: .change)
    }

    /// The object for the last segment of a URL below a list.
    private func target(of list: Property, _ values: [[String]: String]) throws(Refusal) -> ServerRow {
        guard let target = schema.target(of: list), let key = target.key.map({ target[$0] }),
            let text = values.first(where: { $0.key.first == RoutePattern.member })?.value
        else { throw .notFound("There is no such member") }
        let found = rows(of: target).first { has(text, at: key.jsonPath, in: $0) }
        guard let found else { throw .notFound("There is no \(target.modelName) \"\(text)\"") }
        return found
    }

    private func member(
        of list: Property, _ owner: ServerRow, _ values: [[String]: String]
    ) throws(Refusal) -> ServerRow {
        let key = schema.target(of: list).flatMap { target in target.key.map { target[$0].jsonPath } } ?? []
        let text = values.first { $0.key.first == RoutePattern.member }?.value ?? ""
        let found = members(of: list, owner).compactMap { rows[$0] }.first { has(text, at: key, in: $0) }
        guard let found else { throw .notFound("The list has no member \"\(text)\"") }
        return found
    }

    // MARK: Objects

    private func matches(_ row: ServerRow, _ values: [[String]: String]) -> Bool {
        values.allSatisfy { $0.key.first == RoutePattern.member || has($0.value, at: $0.key, in: row) }
    }

    private func row(of model: ModelSchema, _ values: [[String]: String]) throws(Refusal) -> ServerRow {
        if let row = rows(of: model).first(where: { matches($0, values) }) { return row }
        let names = values.filter { $0.key.first != RoutePattern.member }.map { path, text in
            "\(path.joined(separator: ".")) \"\(text)\""
        }
        let with = names.isEmpty ? "" : " with " + names.sorted().joined(separator: " and ")
        throw .notFound("There is no \(model.modelName)\(with)")
    }

    private mutating func create(
        _ model: ModelSchema, _ values: [[String]: String], for request: TestServer.Request
    ) throws(Refusal) -> TestServer.Reply {
        let owners = try owners(values, of: model)
        var body = try body(of: request, model)
        for (path, text) in values {
            guard let (property, rest) = map.first(of: path, in: model), property.link == nil, rest.isEmpty,
                case .attribute(let kind, _, _) = property.kind
            else { continue }
            body.set(JSONValue.string(text).ofForm(kind, joinedBy: nil), at: property.jsonPath[...])
        }
        let number = try create(model, body, below: owners, by: .creation)
        return created(number, by: request)
    }

    private mutating func update(_ row: ServerRow, _ request: TestServer.Request) throws(Refusal) -> TestServer.Reply {
        try checkConditions(of: request, row)
        let model = model(of: row)
        try write(try changes(of: row, model, request), to: row.number, by: .change)
        try check(row.number, by: .change)
        guard let changed = rows[row.number] else { return .status(204) }
        var reply = object(changed, nil)
        reply.status = 200
        return reply
    }

    private func created(_ number: Int, by request: TestServer.Request) -> TestServer.Reply {
        guard let row = rows[number] else { return .status(204) }
        var reply = object(row, nil)
        reply.status = 201
        let template = map.table.routes(of: model(of: row))?.object
        if let template, let path = url(template, of: row) { reply.headerFields[.location] = request.baseURL + path }
        return reply
    }
}

extension Refusal {
    static let otherVersion = Refusal(status: 412, message: "The object has another version")
}

extension RoutePattern {
    /// The marker at the start of the key path for a list's member.
    static let member = "*"
}
