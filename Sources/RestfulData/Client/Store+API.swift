public import Conventions
public import ObjectStore

extension Store {
    /// Opens a store whose objects are fetched from an API and sent to it.
    ///
    /// A missing file is created. A file of other versions of the models is migrated in one transaction: tables and
    /// columns are added, renamed, converted and dropped, or by your own steps (``StoreOptions``). A migration that
    /// would lose data is refused, and the file is unchanged.
    ///
    /// Likely mistakes are warnings in the log (``API/reports``) and in ``explain(_:)``.
    ///
    /// ```swift
    /// let store = try Store(.file("github.sqlite"), models: [User.self, Repository.self], api: api)
    /// ```
    ///
    /// - Parameters:
    ///   - location: the location of the store's file, or memory.
    ///   - models: all models, including the destinations of relationships.
    ///   - api: the API of the models.
    ///   - options: migration steps in code, and a function that reports the migration's progress.
    /// - Throws: ``StoreError/models(_:)`` with all faults of declarations and routes; ``StoreError/file(_:path:)`` if
    ///   using the file fails.
    public convenience init(
        _ location: Location, models: [any Model.Type], api: API, options: StoreOptions = StoreOptions()
    ) throws(StoreError) {
        try self.init(location, models: models, apis: [api], options: options)
    }

    /// Opens a store with several APIs, each with its own conventions, credentials and limits.
    ///
    /// ```swift
    /// @Model("/images", api: "media")
    /// final class Image { … }
    ///
    /// let main = API("https://api.example.com") { token }
    /// let media = API("https://media.example.com", name: "media", conventions: .camelCase) { key }
    /// let store = try Store(.file("app.sqlite"), models: [User.self, Image.self], apis: [main, media])
    /// ```
    ///
    /// A model belongs to the first API unless it names another. Requests about its objects, also those of
    /// relationships to it, go to its own API: `user.$images.fetch()` asks the media service, with a path of that
    /// service. Objects of different APIs link to each other by identity. An object's JSON follows its own API, also if
    /// nested in an object of another.
    ///
    /// - Parameters:
    ///   - location: the location of the store's file, or memory.
    ///   - models: all model classes, including those that relationships lead to.
    ///   - apis: the APIs of the models. All but the first need a name.
    ///   - options: migration steps in code, and a function that reports the migration's progress.
    /// - Throws: ``StoreError``, as with one API; ``StoreError/api(_:)`` if two APIs have one name, or one after the
    ///   first has none.
    public convenience init(
        _ location: Location, models: [any Model.Type], apis: [API], options: StoreOptions = StoreOptions()
    ) throws(StoreError) {
        let apis = try StoreAPIs(apis)
        let schema = try Schema(models: models, styles: apis.styles)
        let clients = try APIClients(apis, schema)
        try self.init(location, schema: schema, companion: clients, options: options)
        for client in clients.all {
            for warning in ModelWarnings(schema: schema, client: client).all { client.api.reports.warn(warning) }
        }
    }

    /// Opens a store off the caller's actor, for migrations that may take long. ``StoreOptions/migrationProgress``
    /// reports the progress.
    ///
    /// Cancellation doesn't stop it, so that a migration is kept.
    @concurrent
    public nonisolated static func open(
        _ location: Location, models: [any Model.Type], api: API, options: StoreOptions = StoreOptions()
    ) async throws(StoreError) -> Store {
        try Store(location, models: models, api: api, options: options)
    }

    /// Opens a store with several APIs off the caller's actor.
    @concurrent
    public nonisolated static func open(
        _ location: Location, models: [any Model.Type], apis: [API], options: StoreOptions = StoreOptions()
    ) async throws(StoreError) -> Store {
        try Store(location, models: models, apis: apis, options: options)
    }

    /// Opens a store without an API, for other JSON and local records.
    public convenience init(
        _ location: Location, models: [any Model.Type], conventions: APIConventions = .default,
        values: ValueFormats? = nil, options: StoreOptions = StoreOptions()
    ) throws(StoreError) {
        var conventions = conventions
        if let values { conventions.values = values.keeping(nothing: conventions.values.nothing) }
        let schema = try Schema(models: models, style: conventions.schemaStyle)
        try self.init(location, schema: schema, companion: nil, options: options)
        for warning in ModelWarnings(schema: schema, client: nil).all { ReplyReports.logged.warn(warning) }
    }

    /// Opens a store without an API off the caller's actor.
    @concurrent
    public nonisolated static func open(
        _ location: Location, models: [any Model.Type], conventions: APIConventions = .default,
        values: ValueFormats? = nil, options: StoreOptions = StoreOptions()
    ) async throws(StoreError) -> Store {
        try Store(location, models: models, conventions: conventions, values: values, options: options)
    }

    /// Opens a store without an API, for plain JSON. A member of both types, such as `.github`, means that of
    /// ``APIConventions``.
    @_disfavoredOverload
    public convenience init(
        _ location: Location, models: [any Model.Type], conventions: NamingConventions
    ) throws(StoreError) {
        try self.init(location, models: models, conventions: APIConventions(conventions))
    }
}
