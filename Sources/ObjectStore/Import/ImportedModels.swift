import JSONBytes

/// How an import tells which model of a family an object is.
final class ImportedModels {
    let family: Family
    /// By the model's number: the node of its keys in ``ImportPlan/nodes``.
    let roots: [Int]
    /// The keys of the first model once more: an object is looked through for its discriminator by these before it is read by
    /// those of its model.
    let scanned: [KeyNode]

    /// - Parameter nodes: gets the keys of the submodels.
    init(_ family: Family, _ table: ModelSchema, _ document: DocumentFormat, _ nodes: inout [KeyNode]) {
        self.family = family
        var roots = [0]
        for submodel in table.submodels {
            roots.append(nodes.count)
            nodes += KeyNodeCompiler.nodes(of: submodel, document, after: nodes.count)
        }
        self.roots = roots
        scanned = KeyNodeCompiler.nodes(of: table, document)
    }

    func begin() { for node in scanned { node.forgetOrder() } }
}

extension Importer {
    /// What an object that is about to be read says of its model before.
    struct Scan {
        /// What its discriminator says; `nil` where there is none.
        var discriminator: StoredValue?
        /// By column: the parts of its identity that stood before the discriminator.
        var identity: [Int: ImportSlot] = [:]
    }

    /// The number of the model that an object is: what its discriminator says, else what its row is, else what is expected
    /// there.
    ///
    /// - Returns: the number, and whether only the place where the object stands said so.
    mutating func model(
        of object: JSONReader, _ plan: ImportPlan, _ models: ImportedModels, _ target: Int64?, expecting expected: Int
    ) throws -> (number: Int, isExpected: Bool) {
        var reader = object
        var scan = Scan()
        _ = try self.scan(&reader, plan, models, models.scanned[0], &scan)
        if let said = scan.discriminator { return (models.family.number(of: said), false) }
        if let id = try target ?? find(scan.identity, plan),
            let stored = try discriminator(of: id, plan, models.family),
            stored != Self.unsaid(plan, models.family)
        {
            return (models.family.number(of: stored), false)
        }
        return (expected, expected > 0)
    }

    /// Whether a row is of the model that a relationship or a request expects; 0 for any.
    mutating func isModel(_ number: Int, _ id: Int64, _ plan: ImportPlan) throws -> Bool {
        guard number > 0, let family = plan.models?.family else { return true }
        return try family.number(of: discriminator(of: id, plan, family) ?? .null) == number
    }

    /// The name of the model that a row is.
    func modelName(of id: Int64, _ plan: ImportPlan) throws -> String {
        guard let family = plan.models?.family else { return plan.table.modelName }
        return try plan.table.model(family.number(of: discriminator(of: id, plan, family) ?? .null)).modelName
    }

    /// Reads keys up to the discriminator.
    ///
    /// - Returns: whether it was found.
    private mutating func scan(
        _ reader: inout JSONReader, _ plan: ImportPlan, _ models: ImportedModels, _ node: KeyNode, _ scan: inout Scan
    ) throws -> Bool {
        guard try reader.enterObject() else { return false }
        var expected = 0
        let known = node.orderCount
        repeat {
            switch try node.nextAction(&reader, &expected, below: known) {
            case .attribute(let column) where column == models.family.column || plan.identity.contains(column):
                let slot = try scannedSlot(&reader, plan, column)
                if column != models.family.column {
                    scan.identity[column] = slot
                } else if let slot {
                    scan.discriminator = slot.stored
                    return true
                }
            case .nested(let inner), .linkAndNested(_, _, let inner):
                if try reader.peekKind() != .object {
                    _ = try reader.skipValue()
                } else if try self.scan(&reader, plan, models, models.scanned[inner], &scan) {
                    return true
                }
            default: _ = try reader.skipValue()
            }
        } while try reader.continueObject()
        return false
    }

    private mutating func scannedSlot(
        _ reader: inout JSONReader, _ plan: ImportPlan, _ column: Int
    ) throws -> ImportSlot? {
        let kind = try reader.peekKind()
        let conversion = plan.columns[column]
        if kind == .object || kind == .array || conversion.isWhole {
            var again = reader
            let isNull = try reader.skipValue().kind == .null
            return isNull ? nil : try plan.table.properties[plan.table.columns[column].property].slot(&again, &memory)
        }
        let scalar = try reader.readScalar()
        return scalar.kind == .null ? nil : conversion.slot(scalar, reader, &memory)
    }

    /// The row of an identity, whose links are to what the object stands in.
    private func find(_ identity: [Int: ImportSlot], _ plan: ImportPlan) throws -> Int64? {
        for (n, column) in plan.identity.enumerated() {
            if let slot = identity[column] {
                plan.find.bind(slot, at: Int32(n + 1))
            } else if let table = plan.table.columns[column].target,
                let container = containers.last(where: { $0.table == table })
            {
                plan.find.bind(container.id, at: Int32(n + 1))
            } else {
                return nil
            }
        }
        guard try plan.find.step() else { return nil }
        defer { plan.find.reset() }
        return plan.find.integer(0)
    }

    private func discriminator(of id: Int64, _ plan: ImportPlan, _ family: Family) throws -> StoredValue? {
        let statement = try writer.connection.statement(
            """
            SELECT \(SQL.quoted(plan.table.columns[family.column].name)) FROM \(SQL.quoted(plan.table.name)) \
            WHERE _id = ?
            """)
        statement.bind(id, at: 1)
        guard try statement.step() else { return nil }
        defer { statement.reset() }
        let value = statement.value(0)
        return value.isNull ? nil : value
    }

    /// What the discriminator of a row says that was never told its model.
    private static func unsaid(_ plan: ImportPlan, _ family: Family) -> StoredValue {
        guard case .attribute(_, let value, _) = plan.table.properties[family.discriminator].kind else { return .null }
        return value()
    }
}
