public import ObjectStore

extension ObjectContext {
    /// Fetches a list that mixes models, with one GET request for each page.
    ///
    /// ```swift
    /// let timeline = try await context.fetchAll("/timeline", of: [Post.self, Event.self], by: "type")
    /// for case let post as Post in timeline { … }
    /// ```
    ///
    /// At the key path `by:`, an element has the model's name, its `resourceType`, or a value of its discriminator.
    /// Word breaks, letter case and plural are ignored. An element of another type is left out and reported
    /// (``API/reporting(isolation:_:)``). Each page is one transaction.
    ///
    /// The server is always asked.
    ///
    /// - Parameters:
    ///   - template: a path below the base URL, or an absolute URL.
    ///   - values: the values of the template's names.
    ///   - models: the models, all of one API. Conventions, paging and log level are those of the first.
    ///   - key: the key path of the model's name, `"type"` or `"meta.kind"`.
    ///   - query: Parameters to add to the URL's query.
    ///   - keyPath: the keys of the list in a reply; by default the conventions decide.
    ///   - pages: how many pages are fetched, by default the first.
    ///   - settings: the call's own ``Call``.
    /// - Returns: the objects in the server's order, each once.
    /// - Throws: ``APIError``. Objects of earlier pages are kept. ``StoreError/models(_:)`` for a model outside the
    ///   store, two models with one name, or models of several APIs.
    public nonisolated(nonsending) func fetchAll(
        _ template: URLTemplate, _ values: [String: any RouteValueConvertible] = [:], of models: [any Model.Type],
        by key: String, query: RouteQuery = [:], at keyPath: JSONKeyPath? = nil, pages: Pages = .first,
        with settings: Call.Settings? = nil
    ) async throws(APIError) -> [any Model] {
        let question = ListQuestion(
            template: template, values: values, query: query, keyPath: keyPath, policy: nil, pruning: .never)
        let choices = ModelChoices(by: key, models.map { ("", $0) })
        return try await Call.with(settings) { () async throws(APIError) in
            try await fetchMixed(question, of: choices, pages)
        }
    }

    fileprivate nonisolated(nonsending) func fetchMixed(
        _ question: ListQuestion, of choices: ModelChoices, _ pages: Pages
    ) async throws(APIError) -> [any Model] {
        let models = try models(of: choices)
        guard let template = question.template, let model = models.first?.model else { return [] }
        let client = try client(of: model)
        let url = try client.callURL(
            try client.listURL(of: model, template: template, values: question.values), query: question.query)
        var walk = PageWalk(
            first: client.roundTrip(.get, url, about: model, asking: .list, at: question.keyPath, in: self))
        do { walk.mixed = try MixedTypes(models, by: choices.key) } catch { throw .store(.models([error.text])) }
        let course = try await walk.fetch(pages)
        try checkNotErased()
        var seen: Set<RecordID> = []
        return course.mixed.filter { seen.insert($0).inserted }.compactMap { object(for: $0) }
    }

    private func models(of choices: ModelChoices) throws(APIError) -> [(model: ModelSchema, names: [String])] {
        var (found, problems): ([(model: ModelSchema, names: [String])], [String]) = ([], [])
        for (name, type) in choices.types {
            guard let model = schema.model(for: type), !model.isEmbedded else {
                problems.append("\(type) is none of the store's models with an identity, so no list has it")
                continue
            }
            if let first = found.first?.model, first.api != model.api {
                problems.append("\(first.modelName) and \(model.modelName) are of different APIs: fetch two lists")
            }
            found.append((model, name.isEmpty ? [] : [name]))
        }
        if found.isEmpty, problems.isEmpty { problems.append("a list that mixes models needs at least one: name it") }
        guard problems.isEmpty else { throw .store(.models(problems)) }
        return found
    }
}

extension ModelChoice {
    /// Fetches a list of objects of this enum's models, with one GET request for each page.
    ///
    /// The elements' models are found, and the parameters mean the same, as in `context.fetchAll(_:_:of:by:)`.
    ///
    /// - Parameters:
    ///   - template: a path below the base URL, or an absolute URL.
    ///   - values: the values of the template's names.
    ///   - query: Parameters to add to the URL's query.
    ///   - keyPath: the keys of the list in the reply; by default, the conventions decide.
    ///   - pages: how many pages are fetched, by default the first.
    ///   - context: where the objects are to live.
    ///   - settings: the call's own ``Call``.
    /// - Returns: the elements in the server's order, each once.
    public nonisolated(nonsending) static func fetchAll(
        _ template: URLTemplate, _ values: [String: any RouteValueConvertible] = [:], query: RouteQuery = [:],
        at keyPath: JSONKeyPath? = nil, pages: Pages = .first, in context: ObjectContext,
        with settings: Call.Settings? = nil
    ) async throws(APIError) -> [Self] {
        let question = ListQuestion(
            template: template, values: values, query: query, keyPath: keyPath, policy: nil, pruning: .never)
        return try await Call.with(settings) { () async throws(APIError) in
            try await context.fetchMixed(question, of: choices, pages).compactMap { Self($0) }
        }
    }
}
