/// An index or identifier with a type of its own, so that the compiler tells a table from a column and a column from a
/// property. It costs nothing at run time: it is the integer that it wraps.
package protocol IntegerIdentifier: Hashable, Comparable, Sendable {
    associatedtype RawValue: BinaryInteger & Hashable & Sendable
    var rawValue: RawValue { get }
    init(_ rawValue: RawValue)
}

extension IntegerIdentifier {
    @inline(__always)
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// As the integer's own, which the standard library hashes in one step; a synthesized one takes twice as long.
    @inline(__always)
    package func _rawHashValue(seed: Int) -> Int { rawValue._rawHashValue(seed: seed) }
}

/// A table of the file: the index of its model, or of the model that its other models inherit from, in
/// ``Schema/roots``.
package struct TableID: IntegerIdentifier, BitwiseCopyable {
    package let rawValue: Int
    @inline(__always)
    package init(_ rawValue: Int) { self.rawValue = rawValue }

    /// The table of a class that the store was not opened with; no file has it.
    package static let unknown = TableID(-1)
}

/// One of a store's APIs, in the order in which they were given: the index of its style in ``Schema/styles``.
package struct APIIndex: IntegerIdentifier {
    package let rawValue: Int
    @inline(__always)
    package init(_ rawValue: Int) { self.rawValue = rawValue }

    /// The first one, which has the models that name none.
    package static let main = APIIndex(0)
}

/// A property of a model: its index in ``ModelSchema/properties``.
package struct PropertyIndex: IntegerIdentifier {
    package let rawValue: Int
    @inline(__always)
    package init(_ rawValue: Int) { self.rawValue = rawValue }
}

/// A column of a model's table: its index in ``ModelSchema/columns``.
package struct ColumnIndex: IntegerIdentifier {
    package let rawValue: Int
    @inline(__always)
    package init(_ rawValue: Int) { self.rawValue = rawValue }
}

/// A to-many relationship, counted over all models of a schema.
package struct ListID: IntegerIdentifier {
    package let rawValue: Int
    @inline(__always)
    package init(_ rawValue: Int) { self.rawValue = rawValue }
}

/// A model among those that share a table: 0 is the one that the others inherit from. Where a model is expected, 0
/// stands for any of them.
package struct SubmodelIndex: IntegerIdentifier {
    package let rawValue: Int
    @inline(__always)
    package init(_ rawValue: Int) { self.rawValue = rawValue }

    /// The model that the others inherit from, or that is alone; where a model is expected, any.
    package static let root = SubmodelIndex(0)
    package var isRoot: Bool { rawValue == 0 }
}

/// A row's local key in its table, `_id`. Those of imported rows are positive and count up; those of objects that were
/// made here are negative.
package struct RowID: IntegerIdentifier, BitwiseCopyable {
    package let rawValue: Int64
    @inline(__always)
    package init(_ rawValue: Int64) { self.rawValue = rawValue }

    /// Whether it is of an object that was made here, in whichever process.
    var isOfNewObject: Bool { rawValue < 0 }

    /// What rows without another order are sorted by: those that came from elsewhere, then those of objects that were
    /// made here, each in the order in which they came. New objects stand there before they are saved, too.
    var arrival: UInt64 { UInt64(bitPattern: rawValue) }
}

/// A row of a table.
package struct RecordID: Hashable, Sendable {
    package let table: TableID
    package let row: RowID

    @inline(__always)
    package init(table: TableID, row: RowID) {
        self.table = table
        self.row = row
    }
}

/// The list that one row has by a to-many relationship.
package struct ListOwner: Hashable, Sendable {
    package let record: RecordID
    package let property: PropertyIndex

    package init(_ property: PropertyIndex, of record: RecordID) {
        self.record = record
        self.property = property
    }
}

extension StoredValue {
    /// What a link's column holds.
    package init(_ row: RowID?) { self = row.map { .integer($0.rawValue) } ?? .null }

    /// The row that a link's column references.
    package var row: RowID? { if case .integer(let id) = self { RowID(id) } else { nil } }
}
