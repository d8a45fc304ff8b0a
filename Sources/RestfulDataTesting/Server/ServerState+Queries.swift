import RestfulData

// The parameters `include` and `sort` of JSON:API. A server must refuse unknown paths in them.

extension ServerState {
    /// Checks the paths in a query.
    ///
    /// - Throws: 400 for an unknown path (<https://jsonapi.org/format/1.1/#fetching-includes>,
    ///   <https://jsonapi.org/format/1.1/#fetching-sorting>).
    func checkPaths(of request: TestServer.Request, about model: ModelSchema) throws(Refusal) {
        guard map.conventions.document == .jsonAPI else { return }
        for path in request.query["include"]?.split(separator: ",") ?? [] where !isIncludable(path, from: model) {
            throw Refusal(status: 400, message: "There is no relationship for include=\(path)")
        }
        for key in sortKeys(of: request) {
            let isKnown = schema[model.table].models.contains { map.first(of: key.path, in: $0) != nil }
            guard isKnown else {
                throw Refusal(status: 400, message: "There is no field for sort=\(key.path.joined(separator: "."))")
            }
        }
    }

    private func isIncludable(_ path: Substring, from model: ModelSchema) -> Bool {
        var models = schema[model.table].models
        for key in path.split(separator: ".").map(String.init) {
            let properties = models.compactMap { map.first(of: [key], in: $0)?.property }
            guard let target = properties.compactMap({ schema.target(of: $0) }).first else { return false }
            models = schema[target.table].models
        }
        return true
    }

    /// Sorts rows by the fields in `sort`. A minus sign means descending. Missing values are last.
    func sorted(_ rows: [ServerRow], by request: TestServer.Request) -> [ServerRow] {
        let keys = map.conventions.document == .jsonAPI ? sortKeys(of: request) : []
        guard !keys.isEmpty else { return rows }
        let keyed = rows.enumerated().map { offset, row in
            (offset: offset, row: row, values: keys.map { value(at: $0.path, of: row) })
        }
        let ordered = keyed.sorted { left, right in
            for (index, key) in keys.enumerated() {
                let order = Self.order(left.values[index], right.values[index], isDescending: key.isDescending)
                if let order { return order }
            }
            return left.offset < right.offset
        }
        return ordered.map { $0.row }
    }

    private func sortKeys(of request: TestServer.Request) -> [(path: [String], isDescending: Bool)] {
        let fields = request.query["sort"]?.split(separator: ",") ?? []
        return fields.map { field in
            let isDescending = field.hasPrefix("-")
            let name = isDescending ? field.dropFirst() : field
            return (name.split(separator: ".").map(String.init), isDescending)
        }
    }

    private func value(at keyPath: [String], of row: ServerRow) -> JSONValue? {
        guard let (property, rest) = map.first(of: keyPath, in: model(of: row)) else { return nil }
        guard property.link != nil else { return row.fields.value(at: property.jsonPath + rest) }
        guard let target = row.links[property.index].flatMap({ rows[$0] }) else { return nil }
        return rest.isEmpty ? identityValue(of: target) : value(at: rest, of: target)
    }

    /// Whether a value comes before another; nil if they are equal.
    private static func order(_ left: JSONValue?, _ right: JSONValue?, isDescending: Bool) -> Bool? {
        guard let text = left?.scalarText, let other = right?.scalarText else {
            let (hasLeft, hasRight) = (left?.scalarText != nil, right?.scalarText != nil)
            return hasLeft == hasRight ? nil : hasLeft
        }
        if text == other { return nil }
        guard let number = left?.double, let otherNumber = right?.double else {
            return (text < other) != isDescending
        }
        return number == otherNumber ? nil : (number < otherNumber) != isDescending
    }
}
