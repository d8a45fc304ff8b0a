import Conventions
import JSONBytes

/// A model's import, compiled for one connection: which JSON key fills which column, and the statements that write a row.
final class ImportPlan {
    let table: ModelSchema
    let columns: [ImportColumn]
    let shapes: ImportShapes
    /// The places in `columns` of the identity.
    let identity: [Int]
    /// Nodes of keys; the first is the object itself, the others are objects within it that key paths lead through. Those of
    /// submodels follow.
    let nodes: [KeyNode]
    /// How the model of an object is told; `nil` where the table has one only.
    let models: ImportedModels?
    let find: RawStatement
    /// The kind of the only identity column, where it is one attribute that the object itself names.
    let hasSimpleIdentity: Bool
    let hasOneToOne: Bool
    /// Whether a row is looked up before it is written, whatever is expected.
    let looksUpRows: Bool
    /// Whether the objects live in their owner, whose row must be there first.
    let isEmbedded: Bool
    /// The links by which the row owns another, or another owns it: what they led to before a change matters.
    let owningColumns: [Int]
    /// By property: the table that a relationship leads to; the own one for an attribute, which asks for none.
    let targets: [Int]
    /// By property: the number of the only model of that table that it leads to; 0 for any.
    let targetModels: [Int]
    private let upserts: UpsertStatements
    private var freeFrames: [ImportFrame] = []

    // What the running import knows; see `begin`.
    var rows: [Int64: RowStatus] = [:]
    var repeats: [UInt64: Repeat] = [:]
    /// Whether the last row was there already: then the next one is looked up before it is written.
    var expectsRows = false
    /// Whether the lists that this table's links are the members of were noted as changed.
    var hasNotedLinks = false

    enum RowStatus {
        case inserted, updated, unchanged
    }

    /// An object that was imported, and is not read again where its bytes occur again.
    struct Repeat {
        let fragment: JSONFragment
        let id: Int64
    }

    init(_ table: ModelSchema, _ schema: Schema, _ connection: Connection) throws {
        self.table = table
        columns = table.columns.map { ImportColumn(table.properties[$0.property]) }
        shapes = ImportShapes(table)
        identity = table.identity.compactMap { table.properties[$0].column }
        hasSimpleIdentity = identity.count == 1 && identity.allSatisfy { table.columns[$0].target == nil }
        isEmbedded = table.isEmbedded
        let document = table.isEmbedded ? .plain : schema.style.document
        var nodes = KeyNodeCompiler.nodes(of: table, document)
        models = table.family.map { ImportedModels($0, table, document, &nodes) }
        self.nodes = nodes
        find = try connection.statement(
            "SELECT _id FROM \(SQL.quoted(table.name)) WHERE \(SQL.identityCondition(table))")
        targets = table.properties.map { $0.link?.target ?? $0.list?.target ?? table.index }
        targetModels = table.properties.map { $0.link?.submodel ?? $0.list?.submodel ?? 0 }
        owningColumns = table.columns.indices.filter { index in
            guard let link = table.properties[table.columns[index].property].link else { return false }
            return link.options.owns || link.inverse.map { schema.tables[link.target].properties[$0].owns } == true
        }
        hasOneToOne = table.properties.contains { property in
            guard let link = property.link, let inverse = link.inverse else { return false }
            return schema.tables[link.target].properties[inverse].link != nil
        }
        looksUpRows = owningColumns.isEmpty ? table.hasLinks : true
        upserts = UpsertStatements(table, schema, connection)
    }

    /// Forgets the last import, whose body may be gone.
    func begin() {
        rows.removeAll(keepingCapacity: true)
        repeats.removeAll(keepingCapacity: true)
        hasNotedLinks = false
        for node in nodes { node.forgetOrder() }
        models?.begin()
    }

    func frame() -> ImportFrame {
        freeFrames.popLast() ?? ImportFrame(columnCount: columns.count)
    }

    func giveBack(_ frame: ImportFrame) {
        frame.reset()
        freeFrames.append(frame)
    }

    /// The statement that inserts a row with these columns, or updates those of them that differ.
    func upsert(_ present: ColumnMask) throws -> UpsertStatements.Variant { try upserts.upsert(present) }

    /// The statement that updates those of the columns that differ, in the row of a local key.
    func update(_ present: ColumnMask) throws -> UpsertStatements.Variant { try upserts.update(present) }
}

/// Makes the nodes of keys of a model: its JSON key paths as a tree.
enum KeyNodeCompiler {
    private final class Branch {
        var entries: [(String, KeyNode.Action)] = []
        var branches: [(String, Branch)] = []
        /// Which of the model's properties a key may mean that has no entry, but differs only in word breaks or letter case.
        var scope = Scope.none

        enum Scope {
            case none, properties, attributes, relationships
        }

        func branch(_ key: String) -> Branch {
            if let known = branches.first(where: { $0.0 == key }) { return known.1 }
            let branch = Branch()
            branches.append((key, branch))
            return branch
        }
    }

    /// - Parameter others: how many nodes stand before these in the plan.
    static func nodes(of table: ModelSchema, _ document: DocumentFormat, after others: Int = 0) -> [KeyNode] {
        let root = Branch()
        var attributes = root
        if document == .jsonAPI {
            attributes = root.branch("attributes")
            attributes.scope = .attributes
            root.branch("relationships").scope = .relationships
        } else {
            root.scope = .properties
        }
        for property in table.declared {
            var branch = root
            for key in property.documentPath.dropLast() { branch = branch.branch(key) }
            branch.entries.append(
                (property.documentPath.last ?? property.name, action(for: property, table, document)))
        }
        for (key, index) in table.identityKeys.sorted(by: { $0.key < $1.key }) {
            let path = key.split(separator: ".").map(String.init)
            var branch = attributes
            for part in path.dropLast() { branch = branch.branch(part) }
            branch.entries.append((path.last ?? key, identityAction(for: table.properties[index])))
        }
        var nodes: [KeyNode?] = []
        _ = add(root, table, &nodes, after: others)
        return nodes.compactMap { $0 }
    }

    private static func action(
        for property: Property, _ table: ModelSchema, _ document: DocumentFormat = .plain
    ) -> KeyNode.Action {
        // Embedded objects are attributes of a resource.
        let isLinkage = document == .jsonAPI && property.documentPath[0] == "relationships"
        return switch (property.kind, property.column) {
        case (.toOne, let column?) where isLinkage: .linkage(column: column, property: property.index)
        case (.toMany, _) where isLinkage: .linkages(property: property.index)
        case (.attribute, let column?): .attribute(column: column)
        case (.toOne, let column?): .link(column: column, property: property.index)
        case (.toMany, _): .list(property: property.index)
        default: .ignore
        }
    }

    private static func identityAction(for property: Property) -> KeyNode.Action {
        if let column = property.column { return .linkIdentity(column: column, property: property.index) }
        return .listIdentities(property: property.index)
    }

    /// The nodes stand in the order in which they are found, the root first.
    private static func add(
        _ branch: Branch, _ table: ModelSchema, _ nodes: inout [KeyNode?], after others: Int
    ) -> Int {
        let index = nodes.count
        nodes.append(nil)
        var entries = branch.entries
        var children: [String: Int] = [:]
        for (key, child) in branch.branches {
            let node = add(child, table, &nodes, after: others)
            children[key] = node
            if let place = entries.firstIndex(where: { $0.0 == key }) {
                if case .link(let column, let property) = entries[place].1 {
                    entries[place].1 = .linkAndNested(column: column, property: property, node: node)
                }
            } else {
                entries.append((key, .nested(node: node)))
            }
        }
        let scope = branch.scope
        nodes[index] = KeyNode(entries) { [children] key in
            guard scope != .none, let match = table.names?.inbound.match(key) else { return nil }
            let property = table.properties[match.property]
            let isRelationship = property.link != nil || property.list != nil
            switch scope {
            case .none: return nil
            case .properties: return action(for: property, table)
            // `id` and `type` are the resource's own, and no attributes.
            case .attributes: return property.documentPath[0] == "attributes" ? action(for: property, table) : nil
            case .relationships:
                guard isRelationship, property.jsonPath.count == 1 else { return nil }
                return children[property.jsonPath[0]].map { .nested(node: $0) }
            }
        }
        return others + index
    }
}
