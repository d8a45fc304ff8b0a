import Conventions
public import ObjectStore

/// A relationship of one object, through which its routes are called: `repository.$issues`.
///
/// `Value` is the property's type: `[Issue]` for a list, `User?` for at most one object.
public struct Relationship<Owner: Model, Value> {
    public let owner: Owner
    private let token: any PropertyToken

    public init<D: Model>(of owner: Owner, _ token: ToOne<Owner, D>) where Value == D? {
        self.owner = owner
        self.token = token
    }

    public init<D: Model>(of owner: Owner, _ token: ToMany<Owner, D>) where Value == [D] {
        self.owner = owner
        self.token = token
    }

    /// For an attribute whose type could have been a model's, as far as a macro can tell: it has no routes.
    public init(of owner: Owner, _ token: Attribute<Owner, Value>) where Value: Sendable {
        self.owner = owner
        self.token = token
    }

    /// The property; of an object whose row is another model's by now, whatever the table has.
    var compiled: Property {
        let table = owner._object.table
        return table.properties[max(0, table.index(of: token.description))]
    }

    /// The relationship's own URL, and whether its members' URLs are their own.
    func route(_ bridge: Bridge, _ context: ObjectContext) throws(APIError) -> (url: String, isDerived: Bool) {
        let table = owner._object.table
        guard let route = bridge.routes.route(of: compiled.index, in: table) else {
            let name = compiled.jsonPath.joined(separator: "/")
            throw .route(
                .noRoute(
                    of: "\(table.modelName).\(compiled.name)",
                    needs: "its route, as in @Relationship(\"/\(table.name)s/:id/\(name)\")"))
        }
        return (try route.template.url(for: owner._object, context.schema), route.isDerived)
    }
}

extension Relationship {
    /// The list as it is in memory.
    func members<D: Model>() -> [D] where Value == [D] {
        (token as? ToMany<Owner, D>).map { owner._object.value(of: $0) } ?? []
    }

    /// Edits the list in memory.
    func setMembers<D: Model>(_ members: [D]) where Value == [D] {
        if let list = token as? ToMany<Owner, D> { owner._object.set(list, to: members) }
    }

    func membership(isWhole: Bool) -> ImportRequest.Membership {
        ImportRequest.Membership(
            table: owner._object.table.index, property: compiled.index, owner: owner._object.localID, isWhole: isWhole)
    }

    /// An owner that is in no file yet has no row that members could lead to.
    func ownerBatch(in context: ObjectContext) -> [WriteBatch] { owner.isInserted ? [context.batch(of: [owner])] : [] }
}
