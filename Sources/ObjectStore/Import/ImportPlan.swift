import Conventions
import JSONBytes

/// A model's import, compiled for one connection.
final class ImportPlan {
    let model: ModelSchema
    let statements: TableStatements
    /// The parameters are the identity's columns.
    let find: RawStatement
    /// Selects the columns to compare. Embedded objects are found by row.
    let comparison: RawStatement
    let indexedColumns: [ColumnIndex]
    /// The columns' conversions.
    private let columns: [ImportColumn]
    let shapes: ImportShapes
    let identity: [ColumnIndex]
    let hasSimpleIdentity: Bool
    /// The keys of the object, of objects in key paths, then of submodels.
    let nodes: [KeyNode]
    /// Nil for a model without submodels.
    let family: ImportedFamily?
    /// Each relationship's target, by property. Attributes have a placeholder.
    private let targets: [ExpectedModel]
    var hasOneToOne: Bool { !oneToOneLinks.isEmpty }
    let oneToOneLinks: [(column: Column, target: TableID, inverse: PropertyIndex)]
    let listedLinks: [(column: ColumnIndex, target: TableID, list: PropertyIndex)]
    /// Whether a lookup precedes each write, for any `expectsRows`.
    let looksUpRows: Bool
    /// Links to an owner or an owned object. An import needs their former targets.
    let owningColumns: [ColumnIndex]
    /// Attributes that mark the object as deleted.
    let tombstoneColumns: [ColumnIndex]
    let columnsSentByValues: [ColumnIndex]
    /// By property.
    let lists: [ImportedList?]
    /// Attributes with a list's total, such as `comments_count`.
    let listCounts: [(list: PropertyIndex, column: ColumnIndex)]
    @safe @exclusivity(unchecked)
    private var freeFrames: [ImportFrame] = []

    // State of the running import, reset by `begin`. It skips run-time exclusivity checks, which cost more than the
    // accesses. That is safe: an import runs on one thread, and no access runs code that uses the same property.

    @safe @exclusivity(unchecked)
    var rows = IntegerTable<RowStatus>()
    /// The objects read, by the fingerprint of their first bytes.
    @safe @exclusivity(unchecked)
    var repeats = IntegerTable<Repeat>()
    /// ``ReadingCounts/overwrites`` when the body last overwrote its own values in this table.
    @safe @exclusivity(unchecked)
    var lastOverwrite = 0
    /// By property: whether the body had the relationship.
    @safe @exclusivity(unchecked)
    var received: [Bool]
    /// By ``SubmodelIndex``: attributes whose missing key means nil or the default.
    private let defaultedByAbsence: [[ColumnIndex]]
    /// By ``SubmodelIndex``: relationships to embedded objects that a missing key empties.
    private let emptiedByAbsence: [[PropertyIndex]]
    let hasDefaultsByAbsence: Bool
    /// The types of each of the model's choices.
    private let choiceTypes: [ChoiceTypes?]
    /// Embedded objects with keys among the owner's.
    let flatParts: [PropertyIndex]
    let hasReaders: Bool
    /// Whether the last upsert found a row. If so, the next write begins with a lookup.
    var expectsRows = false
    /// Whether the server may know a row by another identity.
    var mayBeRenamed = false
    /// Renamed rows that the body named by their former identity.
    var namedRows: Set<RowID> = []
    /// By former identity: rows that the body named by their new one.
    var takenNames: [[StoredValue]: RowID] = [:]
    /// Whether the change set has the lists stored as this table's links.
    var hasNotedLinks = false
    /// Whether rows have texts in `_wire_text`.
    var keepsTexts = false

    enum RowStatus: BitwiseCopyable {
        case inserted, updated, unchanged
    }

    init(_ model: ModelSchema, _ writer: Writer) throws {
        let schema = writer.schema
        self.model = model
        statements = writer.statements[model.table]
        find = try statements.findStatement()
        comparison = try statements.comparisonStatement()
        columns = model.columns.map { ImportColumn(model[$0.property]) }
        shapes = ImportShapes(model)
        let identity = model.identityColumns
        self.identity = identity.map(\.index)
        hasSimpleIdentity = identity.count == 1 && identity.allSatisfy { $0.target == nil }
        let style = schema.style(of: model)
        let document = model.isEmbedded ? .plain : style.document
        let tombstones = model.isEmbedded ? [] : model.options.tombstones ?? style.tombstones
        tombstoneColumns = model.columns.filter { column in
            model[column.property].link == nil && tombstones.contains { model[column.property].jsonPath == [$0] }
        }.map(\.index)
        var nodes = KeyNodeCompiler.nodes(of: model, in: document, tombstones: tombstones)
        family = model.family.map { ImportedFamily($0, of: model, in: document, with: tombstones, &nodes) }
        self.nodes = nodes
        targets = model.properties.map { property in
            ExpectedModel(
                table: property.target ?? model.table,
                submodel: property.link?.submodel ?? property.list?.submodel ?? .root)
        }
        indexedColumns = (identity + model.indexedLinks + model.declaredIndexes.joined()).map(\.index)
        owningColumns = model.columns.filter { column in
            let property = model[column.property]
            return property.link != nil && (property.owns || schema.inverse(of: property)?.owns == true)
        }
        .map(\.index)
        let links = model.columns.compactMap { column -> (column: Column, target: TableID, inverse: Property)? in
            guard let target = column.target, let inverse = schema.inverse(of: model[column.property]) else {
                return nil
            }
            return (column, target, inverse)
        }
        oneToOneLinks = links.filter { $0.inverse.link != nil }.map { ($0.column, $0.target, $0.inverse.index) }
        listedLinks = links.filter { $0.inverse.list != nil }.map { ($0.column.index, $0.target, $0.inverse.index) }
        listCounts = model.listCounts
        lists = model.properties.map { $0.list.map(ImportedList.init) }
        columnsSentByValues = model.columns.filter { schema.attributesSent(by: model[$0.property]) != nil }.map(\.index)
        received = Array(repeating: false, count: model.properties.count)
        choiceTypes = model.choices.map { ChoiceTypes($0, of: model, in: schema) }
        defaultedByAbsence = model.models.map { model in
            model.declared.filter {
                $0.choice == nil && $0.format.nothing.contains(.missingKey) && !model.identity.contains($0.index)
            }
            .compactMap(\.column)
        }
        emptiedByAbsence = model.models.map { model in
            guard (model.options.values ?? style.values).nothing.contains(.missingKey) else { return [] }
            return model.declared.filter { property in
                !property.isAtRoot && property.target.map { schema.contains($0) && schema[$0].isEmbedded } == true
            }.map(\.index)
        }
        hasDefaultsByAbsence = (defaultedByAbsence.map(\.isEmpty) + emptiedByAbsence.map(\.isEmpty)).contains(false)
        hasReaders = model.models.contains { $0.type is any ImportReading.Type }
        flatParts = model.properties.filter(\.isAtRoot).map(\.index)
        looksUpRows = owningColumns.isEmpty ? model.hasLinks : true
    }

    func begin() {
        rows.removeAll()
        repeats.removeAll()
        lastOverwrite = 0
        for index in received.indices { received[index] = false }
        hasNotedLinks = false
        if mayBeRenamed { (mayBeRenamed, namedRows, takenNames) = (false, [], [:]) }
        for node in nodes { node.beginBody() }
        family?.beginBody()
    }

    var isEmbedded: Bool { model.isEmbedded }

    var declaresMoreThanIdentity: Bool { model.properties.contains { !model.identity.contains($0.index) } }

    @inline(__always)
    subscript(column: ColumnIndex) -> ImportColumn { columns[column.rawValue] }

    func target(of property: PropertyIndex) -> ExpectedModel { targets[property.rawValue] }

    func defaultedByAbsence(in submodel: SubmodelIndex) -> [ColumnIndex] { defaultedByAbsence[submodel.rawValue] }

    func emptiedByAbsence(in submodel: SubmodelIndex) -> [PropertyIndex] { emptiedByAbsence[submodel.rawValue] }

    func types(of choice: Choice) -> ChoiceTypes? {
        model.choiceNumbers[choice.property.rawValue].flatMap { choiceTypes[$0] }
    }

    func property(of column: ColumnIndex) -> Property { model[model[column].property] }

    func frame() -> ImportFrame {
        freeFrames.popLast() ?? ImportFrame(columnCount: columns.count)
    }

    func recycle(_ frame: ImportFrame) {
        frame.reset()
        // The maximum nesting. More frames, for long lists of embedded objects, are freed.
        if freeFrames.count < Importer.depthLimit { freeFrames.append(frame) }
    }
}

/// A class, because a copied `List` retains all of its options.
final class ImportedList: Sendable {
    let list: List
    /// Whether a received list is a part (true) or whole (false). Nil: the paging signs decide.
    let merges: Bool?

    init(_ list: List) {
        self.list = list
        merges = list.options.merges
    }
}

final class ImportedFamily {
    let models: Family
    /// By ``SubmodelIndex``: the root's index in ``ImportPlan/nodes``.
    private let roots: [Int]
    /// The root model's nodes, which find the discriminator before the object is read.
    let scanned: [KeyNode]
    /// The default discriminator, of rows with an unknown model.
    let defaultDiscriminator: @Sendable () -> StoredValue

    init(
        _ family: Family, of root: ModelSchema, in document: DocumentFormat, with tombstones: [String],
        _ nodes: inout [KeyNode]
    ) {
        models = family
        var roots = [0]
        for submodel in root.submodels {
            roots.append(nodes.count)
            nodes += KeyNodeCompiler.nodes(of: submodel, in: document, after: nodes.count, tombstones: tombstones)
        }
        self.roots = roots
        scanned = KeyNodeCompiler.nodes(of: root, in: document)
        defaultDiscriminator =
            if case .attribute(_, let value, _) = root[family.discriminator].kind { value } else { { .null } }
    }

    func node(of submodel: SubmodelIndex) -> Int { roots[submodel.rawValue] }

    func beginBody() { for node in scanned { node.beginBody() } }
}

/// The wire shapes of a model's properties.
@safe final class ImportShapes {
    /// Each index is a column, or the number of columns plus a property. Freed in `deinit`.
    private let shapes: UnsafeMutablePointer<WireShape>
    /// By property: the index in `shapes`.
    private let indexes: [Int]
    private(set) var haveChanged = false

    init(_ model: ModelSchema) {
        indexes = model.properties.map { $0.column?.rawValue ?? model.columns.count + $0.index.rawValue }
        let count = model.columns.count + model.properties.count
        unsafe shapes = .allocate(capacity: max(count, 1))
        unsafe shapes.initialize(repeating: .standard, count: max(count, 1))
    }

    // Shapes are trivial.
    deinit { unsafe shapes.deallocate() }

    func begin(_ known: [WireShape]) {
        haveChanged = false
        for (index, shape) in zip(indexes, known) { unsafe shapes[index] = shape }
    }

    /// The server writes nil as `""`. Requests do, too, until the server sends null.
    func noteEmptyText(of column: ColumnIndex) {
        var shape = unsafe shapes[column.rawValue]
        guard !shape.isNothingEmptyText else { return }
        shape.isNothingEmptyText = true
        change(shape, at: column.rawValue)
    }

    @inline(__always)
    func noteNull(of column: ColumnIndex) {
        guard unsafe shapes[column.rawValue].isNothingEmptyText else { return }
        var shape = unsafe shapes[column.rawValue]
        shape.isNothingEmptyText = false
        unsafe shapes[column.rawValue] = shape
        haveChanged = true
    }

    @inline(__always)
    func isNewShape(_ shape: WireShape, of column: ColumnIndex) -> Bool { unsafe shapes[column.rawValue] != shape }

    enum ShapeChange {
        case taken
        /// The first time after days only.
        case endsDays
        /// A day after times, whose format stays, since it keeps more.
        case dayAmongTimes
    }

    func note(_ shape: WireShape, of column: ColumnIndex) -> ShapeChange {
        let known = unsafe shapes[column.rawValue]
        if known.hasTime, shape.form == .day { return .dayAmongTimes }
        // Likewise, the format of numbers with fractions stays.
        let isNumber = shape.form == .number || shape.form == .string
        let isRounder = known.fractionDigits > 0 && shape.fractionDigits == 0
        if isNumber, isRounder, (known.form, known.unit) == (shape.form, shape.unit) { return .taken }
        change(shape, at: column.rawValue)
        return known.form == .day && shape.hasTime ? .endsDays : .taken
    }

    func note(_ shape: WireShape, ofRelationship property: PropertyIndex) {
        var shape = shape.learned
        shape.isSeen = true
        let index = indexes[property.rawValue]
        if unsafe shapes[index] != shape { change(shape, at: index) }
    }

    @inline(never)
    private func change(_ shape: WireShape, at index: Int) {
        var shape = shape
        // Only null and `""` change this flag.
        if unsafe shapes[index].isNothingEmptyText { shape.isNothingEmptyText = true }
        guard unsafe shape != shapes[index] else { return }
        unsafe shapes[index] = shape
        haveChanged = true
    }

    func shape(of property: PropertyIndex) -> WireShape { unsafe shapes[indexes[property.rawValue]] }
}
