import HTTPTypes
import RestfulData

struct ServerRules: Sendable {
    struct Check: Sendable {
        let model: String
        let path: [String]
        /// Returns the problem of a value; nil if it is valid.
        let problem: @Sendable (_ value: JSONValue?) -> String?
    }

    /// Default values of new objects, by model.
    var defaults: [String: [String: JSONValue]] = [:]
    var checks: [Check] = []
    /// The Swift names of relationships whose targets are nested in replies, by model.
    var nested: [String: Set<String>] = [:]
    /// The size of a page, if a request leaves it open; nil for the whole list.
    var pageSize: Int?
    var errors: TestServer.ErrorFormat
    var entityTags: TestServer.EntityTags
    var hasDates: Bool
    /// Header fields of all replies.
    var headerFields: HTTPFields = [:]
    /// The required value of `Authorization`.
    var authorization: String?
    /// Paths that need no authorization.
    var openPaths: [RoutePattern] = []
    var limit: RateLimit?

    /// The maximum number of requests within a time.
    struct RateLimit: Sendable {
        let count: Int
        let seconds: Int
        /// The start of the current period, in seconds since 1970, and the number of its requests.
        var start: Int?
        var used = 0
    }

    init(of conventions: APIConventions) {
        errors = .of(conventions)
        entityTags = conventions.conditionalWrites == .weakEntityTags ? .weakContent : .content
        hasDates = conventions.conditionalWrites == .modificationDates
    }
}

extension ServerState {
    /// Validates an object that a client has written. Objects that the test writes are accepted as they are.
    ///
    /// - Throws: A validation error with all problems.
    func check(_ number: Int, by writer: ServerWriter) throws(Refusal) {
        guard writer.isClient, let row = rows[number] else { return }
        let model = model(of: row)
        var refusal = Refusal(status: 422, message: "Validation failed")
        for check in rules.checks where check.model == model.modelName || check.model == schema[row.table].modelName {
            let value = row.fields.value(at: check.path) ?? linked(at: check.path, of: row)
            if let problem = check.problem(value) { refusal.fields.append((check.path, problem)) }
        }
        if let path = takenNaturalKey(of: row, model) { refusal.fields.append((path, "has already been taken")) }
        guard refusal.fields.isEmpty else { throw refusal }
    }

    /// The identity of a link's target, for validation.
    private func linked(at path: [String], of row: ServerRow) -> JSONValue? {
        guard let property = model(of: row).declared.first(where: { $0.jsonPath == path && $0.link != nil }) else {
            return nil
        }
        return row.links[property.index].flatMap { rows[$0] }.flatMap { identityValue(of: $0) }
    }

    /// The path of the natural key (`@Model(natural:)`), if another object has the same key.
    private func takenNaturalKey(of row: ServerRow, _ model: ModelSchema) -> [String]? {
        let paths = model.options.natural.compactMap { name in model.declared.first { $0.name == name }?.jsonPath }
        let own = paths.map { row.fields.value(at: $0) }
        guard let last = paths.last, !own.contains(where: { $0 == nil || $0 == .null }) else { return nil }
        let isTaken = rows(of: schema[row.table]).contains { other in
            other.number != row.number && paths.map { other.fields.value(at: $0) } == own
        }
        return isTaken ? last : nil
    }
}
