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
        let schema = try Schema(models: models, style: api.conventions.schemaStyle)
        let client = try APIClient(api, schema)
        try self.init(location, schema: schema, companion: client, options: options)
        for warning in ModelWarnings(schema: schema, routes: client.routes).all { api.reports.warn(warning) }
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

    /// Opens a store without an API: for JSON that comes by other ways, and for records that are only local.
    public convenience init(
        _ location: Location, models: [any Model.Type], conventions: APIConventions = .default,
        values: ValueFormats? = nil, options: StoreOptions = StoreOptions()
    ) throws(StoreError) {
        var conventions = conventions
        conventions.values = values ?? conventions.values
        let schema = try Schema(models: models, style: conventions.schemaStyle)
        try self.init(location, schema: schema, companion: nil, options: options)
        for warning in ModelWarnings(schema: schema, routes: nil).all { ReplyReports.logged.warn(warning) }
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
