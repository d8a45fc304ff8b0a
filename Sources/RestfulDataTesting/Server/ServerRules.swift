import HTTPTypes
import RestfulData

/// What a test declares of its server beside the models.
struct ServerRules: Sendable {
    /// A property that a rule is about.
    struct Check: Sendable {
        let model: String
        let path: [String]
        /// What is wrong with an object's value; nil for nothing.
        let problem: @Sendable (_ value: JSONValue?) -> String?
    }

    /// By model: what new objects have that the client doesn't say.
    var defaults: [String: [String: JSONValue]] = [:]
    var checks: [Check] = []
    /// By model: the Swift names of relationships whose objects stand whole in replies.
    var nested: [String: Set<String>] = [:]
    /// The objects of a page; nil for all, unless a request says it.
    var pageSize: Int?
    var errors: TestServer.ErrorFormat
    var entityTags: TestServer.EntityTags
    /// Whether objects have a `Last-Modified`.
    var hasDates: Bool
    /// What all replies have in their heads.
    var headerFields: HTTPFields = [:]
    /// The value that `Authorization` must have.
    var authorization: String?
    var limit: RateLimit?

    /// How many requests may come in a time.
    struct RateLimit: Sendable {
        let count: Int
        let seconds: Int
        /// When the time began, in seconds since 1970, and how many have come.
        var start: Int?
        var used = 0
    }

    /// As the service does that the conventions are named for.
    init(of conventions: APIConventions) {
        errors = .of(conventions)
        entityTags = conventions.conditionalWrites == .weakEntityTags ? .weakContent : .content
        hasDates = conventions.conditionalWrites == .modificationDates
    }
}

extension ServerState {
    /// Checks an object that was written by the rules of its model.
    ///
    /// - Throws: a validation error with all that is wrong. A test's own objects are as it wants.
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

    /// The identity that a link leads to, for a rule about it.
    private func linked(at path: [String], of row: ServerRow) -> JSONValue? {
        guard let property = model(of: row).declared.first(where: { $0.jsonPath == path && $0.link != nil }) else {
            return nil
        }
        return row.links[property.index].flatMap { rows[$0] }.flatMap { identityValue(of: $0) }
    }

    /// Where an object has the natural key of another one (`@Model(natural:)`).
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
