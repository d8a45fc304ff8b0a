public import Conventions
public import ObjectStore

extension Store {
    /// Opens a store whose objects are fetched from an API and sent there.
    ///
    /// The file is made if it doesn't exist. One that was made by other versions of the models is migrated in one
    /// transaction: tables and columns are added, renamed, converted and dropped; see ``StoreOptions`` for steps of
    /// your own. What would be lost is refused, with the reason, and the file is left as it was. All names and routes
    /// are checked, and everything that is wrong with them is reported together. What works and is likely a mistake, as
    /// an identity that is unique only within its parent, is a warning in the log (``API/reports``) and in
    /// ``explain(_:)``.
    ///
    /// ```swift
    /// let store = try Store(.file("github.sqlite"), models: [User.self, Repository.self], api: api)
    /// ```
    ///
    /// - Parameters:
    ///   - location: where the records are kept.
    ///   - models: every model class, including those that relationships lead to.
    ///   - api: where the models come from.
    ///   - options: steps of a migration in code, and who hears how far it is.
    /// - Throws: ``StoreError/models(_:)`` with all problems of the declarations and routes;
    ///   ``StoreError/file(_:path:)`` when the file can't be used.
    public convenience init(
        _ location: Location, models: [any Model.Type], api: API, options: StoreOptions = StoreOptions()
    ) throws(StoreError) {
        try self.init(location, models: models, apis: [api], options: options)
    }

    /// Opens a store whose objects come from several APIs, each with its own conventions, credentials and limits.
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
    /// A model that names no API belongs to the first one. All requests about a model's objects go to its own API, also
    /// those of relationships that lead to it: `user.$images.fetch()` asks the media service, and what `User` declares
    /// for it, `@Relationship("/people/:id/images")`, is a path there. Objects of one link to those of the other by
    /// identity, as any others do. An object's JSON keys and values are those of its own API wherever it stands, also
    /// nested in an object of another.
    ///
    /// - Parameters:
    ///   - location: where the records are kept.
    ///   - models: every model class, including those that relationships lead to.
    ///   - apis: where the models come from; each but the first has a name.
    ///   - options: steps of a migration in code, and who hears how far it is.
    /// - Throws: as with one API; ``StoreError/api(_:)`` for two of one name, or one without that is not the first.
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

    /// The same away from the caller's actor: for files whose migration may take long, which
    /// ``StoreOptions/migrationProgress`` tells of.
    ///
    /// ```swift
    /// let store = try await Store.open(.file("github.sqlite"), models: [User.self, Repository.self], api: api)
    /// ```
    ///
    /// The opening runs to its end even when the task is cancelled, so that no migration is lost.
    @concurrent
    public nonisolated static func open(
        _ location: Location, models: [any Model.Type], api: API, options: StoreOptions = StoreOptions()
    ) async throws(StoreError) -> Store {
        try Store(location, models: models, api: api, options: options)
    }

    /// The same with several APIs.
    @concurrent
    public nonisolated static func open(
        _ location: Location, models: [any Model.Type], apis: [API], options: StoreOptions = StoreOptions()
    ) async throws(StoreError) -> Store {
        try Store(location, models: models, apis: apis, options: options)
    }

    /// Opens a store without an API: for JSON that comes by other ways, and for records that are only local.
    public convenience init(
        _ location: Location, models: [any Model.Type], conventions: APIConventions = .default,
        values: ValueFormats? = nil, options: StoreOptions = StoreOptions()
    ) throws(StoreError) {
        var conventions = conventions
        conventions.values = values ?? conventions.values
        let schema = try Schema(models: models, style: conventions.schemaStyle)
        try self.init(location, schema: schema, companion: nil, options: options)
        for warning in ModelWarnings(schema: schema, client: nil).all { ReplyReports.logged.warn(warning) }
    }

    /// The same away from the caller's actor.
    @concurrent
    public nonisolated static func open(
        _ location: Location, models: [any Model.Type], conventions: APIConventions = .default,
        values: ValueFormats? = nil, options: StoreOptions = StoreOptions()
    ) async throws(StoreError) -> Store {
        try Store(location, models: models, conventions: conventions, values: values, options: options)
    }

    /// The same for conventions of names alone, of plain JSON. What both have, such as `.github`, means the other one.
    @_disfavoredOverload
    public convenience init(
        _ location: Location, models: [any Model.Type], conventions: NamingConventions
    ) throws(StoreError) {
        try self.init(location, models: models, conventions: APIConventions(conventions))
    }
}
