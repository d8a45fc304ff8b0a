public import JSONBytes

extension ObjectContext {
    /// Inserts or updates one object from a dictionary of its JSON, as an import does.
    ///
    /// ```swift
    /// let address = try await context.upsert(Address.self, ["city": "Bonn"], identity: 3)
    /// ```
    ///
    /// The values count as the server's, so they aren't sent. Unsaved edits and missing properties stay.
    ///
    /// - Parameters:
    ///   - values: the object's JSON, with the server's keys and nested objects.
    ///   - identity: the object's identity, if the dictionary lacks it.
    /// - Returns: the live object.
    /// - Throws: Nothing was written then.
    ///   - ``StoreError/rejected(_:)`` if `values` is no dictionary, lacks an identity, or has a value of the wrong
    ///     type, which the report names.
    ///   - ``StoreError/wrongIdentity(model:parts:given:)`` if you pass `identity` for several identity parts, which
    ///     belong in the dictionary.
    ///   - ``StoreError/json(_:)`` for a number that JSON can't express, or a ``StoreError`` of the file.
    @discardableResult
    public nonisolated(nonsending) func upsert<M: Model>(
        _ type: M.Type, _ values: JSONValue, identity: (any AttributeValue)? = nil
    ) async throws(StoreError) -> M {
        let model = try model(of: type)
        var values = values
        if let identity {
            guard model.identity.count == 1, let part = model.identity.first else {
                throw .wrongIdentity(
                    model: model.modelName, parts: model.identity.map { model[$0].name }, given: 1)
            }
            values = values.setting(JSONValue(identity, for: model[part]), at: model[part].jsonPath[...])
        }
        guard let text = values.text else {
            throw values.writingError.map { .json($0) } ?? .rejected(ImportReport())
        }
        guard !values.isArray else { throw .rejected(ImportReport()) }
        var request = ImportRequest(try importedModel(type))
        request.isStrict = true
        let outcome = try await importBody(Array(text.utf8), request)
        guard let object = objects(type, of: outcome.roots).first else { throw .rejected(outcome.report) }
        return object
    }
}

extension JSONValue {
    /// An attribute's identity as a request sends it, or a link's as its own type is written; an invalid number if that
    /// fails.
    fileprivate init(_ identity: any AttributeValue, for property: Property) {
        let text: WireText?
        if property.link == nil {
            text = try? property.wireText(of: identity.stored, .standard)
        } else {
            text = try? WireText(identity.stored, type(of: identity).kind, shape: .standard)
        }
        self = text.flatMap { JSONValue($0.json.utf8) } ?? .number("\(identity)")
    }

    /// Adds missing objects on the path.
    fileprivate func setting(_ value: JSONValue, at keys: ArraySlice<String>) -> JSONValue {
        guard let key = keys.first else { return value }
        guard case .object(var members) = self else {
            return isNull ? JSONValue.object([:]).setting(value, at: keys) : self
        }
        members[key] = (members[key] ?? .null).setting(value, at: keys.dropFirst())
        return .object(members)
    }

    fileprivate var isArray: Bool { if case .array = self { true } else { false } }

    private var isNull: Bool { if case .null = self { true } else { false } }

    fileprivate var writingError: JSONError? {
        let number = firstNumber(to: 500) { !JSONText.isNumber($0) }
        // Otherwise the value is too deeply nested, as this text is.
        let text = number.map { Array($0.utf8) } ?? Array(repeating: UInt8(ascii: "["), count: 10_000)
        return JSONError(readingFrom: text)
    }

    /// - Parameter depth: the number of nested levels to search.
    private func firstNumber(to depth: Int, where isWanted: (String) -> Bool) -> String? {
        let inner: [JSONValue]
        switch self {
        case .number(let text): return isWanted(text) ? text : nil
        case .array(let elements): inner = elements
        case .object(let members): inner = members.sorted { $0.key < $1.key }.map(\.value)
        case .null, .bool, .string: return nil
        }
        guard depth > 0 else { return nil }
        for value in inner {
            if let number = value.firstNumber(to: depth - 1, where: isWanted) { return number }
        }
        return nil
    }
}
