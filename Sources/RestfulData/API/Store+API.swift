public import Conventions
public import ObjectStore

extension Store {
    /// Opens a store whose objects are fetched from an API and sent there.
    ///
    /// The file is made if there is none; tables, columns and indexes that the models have gained are added. All names and
    /// routes are checked, and everything that is wrong with them is reported together.
    ///
    /// ```swift
    /// let store = try Store(.file("github.sqlite"), models: [User.self, Repository.self], api: api)
    /// ```
    ///
    /// - Parameters:
    ///   - location: where the records are kept.
    ///   - models: every model class, those that relationships lead to included.
    ///   - api: where the models come from.
    /// - Throws: ``StoreError/models(_:)`` with all problems of the declarations and routes;
    ///   ``StoreError/file(_:path:)`` when the file can't be used.
    public convenience init(
        _ location: Location, models: [any Model.Type], api: API
    ) throws(StoreError) {
        let schema = try Schema(models: models, conventions: api.conventions, values: api.values)
        let routes = try RouteTable(schema, problem: api.problem)
        try self.init(location, schema: schema, companion: Bridge(api: api, routes: routes))
    }

    /// Opens a store without an API: for JSON that comes by other ways, and for records that are only local.
    public convenience init(
        _ location: Location, models: [any Model.Type], conventions: NamingConventions = .default,
        values: ValueFormats = ValueFormats()
    ) throws(StoreError) {
        let schema = try Schema(models: models, conventions: conventions, values: values)
        try self.init(location, schema: schema, companion: nil)
    }
}

/// What a store keeps of its API.
struct Bridge: Sendable {
    let api: API
    let routes: RouteTable
    let turns = Turns()
}

extension Context {
    func bridge() throws(APIError) -> Bridge {
        let file: StoreFile
        do { file = try openFile() } catch { throw .store(error) }
        guard let bridge = file.companion as? Bridge else { throw .noAPI }
        return bridge
    }
}
