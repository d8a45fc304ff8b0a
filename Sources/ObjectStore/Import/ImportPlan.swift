import Conventions
import JSONBytes

/// A model's import, compiled for one connection: which JSON key fills which column, and the statements that write a
/// row.
final class ImportPlan {
    let model: ModelSchema
    /// The statements of the model's table.
    let statements: TableStatements
    /// The row of an identity, whose columns are the parameters.
    let find: RawStatement
    /// The same with all that an object is compared with.
    let comparison: RawStatement
    /// The columns that are in an index.
    let indexedColumns: [ColumnIndex]
    /// By column.
    private let columns: [ImportColumn]
    /// How the values were written so far in one import.
    let shapes: ImportShapes
    /// The columns of the identity.
    let identity: [ColumnIndex]
    /// Whether the identity is one attribute, which the object itself names.
    let hasSimpleIdentity: Bool
    /// Nodes of keys; the first is the object itself, the others are objects within it that key paths go through. Those
    /// of submodels follow.
    let nodes: [KeyNode]
    /// How the model of an object is told; `nil` when the table has one only.
    let family: ImportedFamily?
    /// By property: what a relationship references; the model's own table for an attribute, which nobody asks about.
    private let targets: [ExpectedModel]
    /// Whether a to-one link has a to-one inverse.
    var hasOneToOne: Bool { !oneToOneLinks.isEmpty }
    /// The to-one links whose inverse is to-one.
    let oneToOneLinks: [(column: Column, target: TableID, inverse: PropertyIndex)]
    /// The links whose inverse is a list.
    let listedLinks: [(column: ColumnIndex, target: TableID, list: PropertyIndex)]
    /// Whether a row is looked up before it is written, whatever is expected.
    let looksUpRows: Bool
    /// The links by which the row owns another, or another owns it: what they referenced before a change matters.
    let owningColumns: [ColumnIndex]
    /// The attributes whose values say whether the object is deleted.
    let tombstoneColumns: [ColumnIndex]
    /// The links that lead to what goes out by values of its own.
    let columnsSentByValues: [ColumnIndex]
    /// By property.
    let lists: [ImportedList?]
    /// The attributes that say how many members a list has, by their names.
    let listCounts: [(list: PropertyIndex, column: ColumnIndex)]
    @safe @exclusivity(unchecked)
    private var freeFrames: [ImportFrame] = []

    // What the running import knows; see `begin`.
    //
    // None of it is checked for overlapping accesses at run time, which takes longer than most of them: each is a load
    // or a store, or calls the code of the array or table, which knows no plan; and an import is one thread's.

    /// By ``RowID``.
    @safe @exclusivity(unchecked)
    var rows = IntegerTable<RowStatus>()
    /// By the fingerprint of their beginning.
    @safe @exclusivity(unchecked)
    var repeats = IntegerTable<Repeat>()
    /// ``ReadingCounts/overwrites`` when something was overwritten last that the body had said of a row of this table.
    @safe @exclusivity(unchecked)
    var lastOverwrite = 0
    /// By property: whether the body has said something of the relationship.
    @safe @exclusivity(unchecked)
    var said: [Bool]
    /// By ``SubmodelIndex``: the attributes that are nil, or their default, where their key is missing; empty where
    /// there are none.
    private let defaultedByAbsence: [[ColumnIndex]]
    /// By ``SubmodelIndex``: the relationships to embedded objects that lead nowhere where their key is missing.
    private let emptiedByAbsence: [[PropertyIndex]]
    /// Whether there are such attributes or relationships.
    let hasDefaultsByAbsence: Bool
    /// The embedded objects whose keys stand among those of their owner.
    let flatParts: [PropertyIndex]
    /// Whether code of the model's own reads its objects.
    let hasReaders: Bool
    /// Whether the last row was there already: then the next one is looked up before it is written.
    var expectsRows = false
    /// Whether the server may mean a row of the table by another identity than the one in its columns.
    var mayBeRenamed = false
    /// The rows that the body has named by the identity which the server knew before it was told another.
    var namedRows: Set<RowID> = []
    /// By that identity: the rows that it has named by the other one.
    var takenNames: [[StoredValue]: RowID] = [:]
    /// Whether the lists that this table's links are the members of were noted as changed.
    var hasNotedLinks = false
    /// Whether texts are kept of values of the table's rows (`_wire_text`).
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
        said = Array(repeating: false, count: model.properties.count)
        defaultedByAbsence = model.models.map { model in
            model.declared.filter { $0.format.nothing.contains(.missingKey) && !model.identity.contains($0.index) }
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

    /// Forgets the last import, whose body may be gone.
    func begin() {
        rows.removeAll()
        repeats.removeAll()
        lastOverwrite = 0
        for index in said.indices { said[index] = false }
        hasNotedLinks = false
        if mayBeRenamed { (mayBeRenamed, namedRows, takenNames) = (false, [], [:]) }
        for node in nodes { node.beginBody() }
        family?.beginBody()
    }

    /// Whether the objects live in their owner, whose row must be there first.
    var isEmbedded: Bool { model.isEmbedded }

    /// Whether an object can say something beside its identity.
    var declaresMoreThanIdentity: Bool { model.properties.contains { !model.identity.contains($0.index) } }

    /// How the column's JSON is converted.
    @inline(__always)
    subscript(column: ColumnIndex) -> ImportColumn { columns[column.rawValue] }

    /// What a relationship references.
    func target(of property: PropertyIndex) -> ExpectedModel { targets[property.rawValue] }

    /// The attributes of a model that have no value where their key is missing.
    func defaultedByAbsence(in submodel: SubmodelIndex) -> [ColumnIndex] { defaultedByAbsence[submodel.rawValue] }

    /// The relationships of a model to embedded objects that lead nowhere where their key is missing.
    func emptiedByAbsence(in submodel: SubmodelIndex) -> [PropertyIndex] { emptiedByAbsence[submodel.rawValue] }

    /// The property that a column keeps.
    func property(of column: ColumnIndex) -> Property { model[model[column].property] }

    func frame() -> ImportFrame {
        freeFrames.popLast() ?? ImportFrame(columnCount: columns.count)
    }

    func giveBack(_ frame: ImportFrame) {
        frame.reset()
        // As many as objects may be within each other; a long embedded list needs more, once.
        if freeFrames.count < Importer.depthLimit { freeFrames.append(frame) }
    }
}

/// A list, which is looked at for each object that has it: a reference, as a copy would retain all that its options
/// have.
final class ImportedList: Sendable {
    let list: List
    /// Whether what comes is always a part, or always the whole.
    let merges: Bool?

    init(_ list: List) {
        self.list = list
        merges = list.options.merges
    }
}

/// Which models a value in the JSON can be of: those of a table, or only one of them.
struct ExpectedModel: Sendable {
    let table: TableID
    /// The root stands for any.
    let submodel: SubmodelIndex
}

/// How an import tells which model of a family an object is.
final class ImportedFamily {
    let models: Family
    /// By ``SubmodelIndex``: the node of the model's keys in ``ImportPlan/nodes``.
    private let roots: [Int]
    /// The keys of the root model once more: an object is looked through for its discriminator by these before it is
    /// read by those of its model.
    let scanned: [KeyNode]
    /// The discriminator of a row that was never told its model.
    let unsaid: @Sendable () -> StoredValue

    /// - Parameter nodes: gets the keys of the submodels.
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
        unsaid = if case .attribute(_, let value, _) = root[family.discriminator].kind { value } else { { .null } }
    }

    /// The node of a model's keys in ``ImportPlan/nodes``.
    func node(of submodel: SubmodelIndex) -> Int { roots[submodel.rawValue] }

    func beginBody() { for node in scanned { node.beginBody() } }
}

/// How the values of a model's properties were written so far in one import: by column, then by property for
/// relationships to many, which have no column.
@safe final class ImportShapes {
    /// Allocated once and freed in `deinit`; every index is a column, or the number of columns and a property.
    private let shapes: UnsafeMutablePointer<WireShape>
    /// By property: its index in `shapes`.
    private let indexes: [Int]
    private(set) var haveChanged = false

    init(_ model: ModelSchema) {
        indexes = model.properties.map { $0.column?.rawValue ?? model.columns.count + $0.index.rawValue }
        let count = model.columns.count + model.properties.count
        unsafe shapes = .allocate(capacity: max(count, 1))
        unsafe shapes.initialize(repeating: .standard, count: max(count, 1))
    }

    // Shapes are trivial, so there is nothing to deinitialize.
    deinit { unsafe shapes.deallocate() }

    /// Begins with what is known, by property.
    func begin(_ known: [WireShape]) {
        haveChanged = false
        for (index, shape) in zip(indexes, known) { unsafe shapes[index] = shape }
    }

    /// `""` came where there was nothing, and nil goes out as that, until null comes.
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

    /// Whether a value is written otherwise than the attribute's last one: for each value that is read, so one
    /// comparison.
    @inline(__always)
    func isNews(_ shape: WireShape, of column: ColumnIndex) -> Bool { unsafe shapes[column.rawValue] != shape }

    /// What a value's shape is beside that of the attribute's other values.
    enum News {
        /// The shape of all that is set from here on.
        case taken
        /// The same, and the first with a time: all before it were days.
        case endsDays
        /// A day, among values with a time: these say more, so their shape stays.
        case dayAmongTimes
    }

    func note(_ shape: WireShape, of column: ColumnIndex) -> News {
        let known = unsafe shapes[column.rawValue]
        if known.hasTime, shape.form == .day { return .dayAmongTimes }
        // Numbers with a fraction say more, too.
        let isNumber = shape.form == .number || shape.form == .string
        let isRounder = known.fractionDigits > 0 && shape.fractionDigits == 0
        if isNumber, isRounder, (known.form, known.unit) == (shape.form, shape.unit) { return .taken }
        change(shape, at: column.rawValue)
        return known.form == .day && shape.hasTime ? .endsDays : .taken
    }

    /// An identity by which a relationship came.
    func note(_ shape: WireShape, ofRelationship property: PropertyIndex) {
        var shape = shape.learned
        shape.isSeen = true
        let index = indexes[property.rawValue]
        if unsafe shapes[index] != shape { change(shape, at: index) }
    }

    @inline(never)
    private func change(_ shape: WireShape, at index: Int) {
        var shape = shape
        // How nothing is written, values do not say.
        if unsafe shapes[index].isNothingEmptyText { shape.isNothingEmptyText = true }
        guard unsafe shape != shapes[index] else { return }
        unsafe shapes[index] = shape
        haveChanged = true
    }

    func shape(of property: PropertyIndex) -> WireShape { unsafe shapes[indexes[property.rawValue]] }
}
