/// An index or identifier with its own type, so that the compiler distinguishes tables, columns and properties. It has
/// no cost at run time.
package protocol IntegerIdentifier: Hashable, Comparable, Sendable {
    associatedtype RawValue: BinaryInteger & Hashable & Sendable
    var rawValue: RawValue { get }
    init(_ rawValue: RawValue)
}

extension IntegerIdentifier {
    @inline(__always)
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// Hashes as the integer does, in one step. The synthesized function takes twice as long.
    @inline(__always)
    package func _rawHashValue(seed: Int) -> Int { rawValue._rawHashValue(seed: seed) }
}

/// A table of the file: the index in ``Schema/roots`` of its only model, or of the model that its other models inherit
/// from.
package struct TableID: IntegerIdentifier, BitwiseCopyable {
    package let rawValue: Int
    @inline(__always)
    package init(_ rawValue: Int) { self.rawValue = rawValue }

    /// The table of a class outside the store's models. It is in no file.
    package static let unknown = TableID(-1)
}

/// One of a store's APIs, in the given order: the index of its style in ``Schema/styles``.
package struct APIIndex: IntegerIdentifier {
    package let rawValue: Int
    @inline(__always)
    package init(_ rawValue: Int) { self.rawValue = rawValue }

    /// The first API, which has the models that leave their API unnamed.
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

/// A to-many relationship, numbered over all models of a schema.
package struct ListID: IntegerIdentifier {
    package let rawValue: Int
    @inline(__always)
    package init(_ rawValue: Int) { self.rawValue = rawValue }
}

/// A model among those that share a table. 0 is the model that the others inherit from; as an expected model, it stands
/// for any of them.
package struct SubmodelIndex: IntegerIdentifier {
    package let rawValue: Int
    @inline(__always)
    package init(_ rawValue: Int) { self.rawValue = rawValue }

    /// The model that the others inherit from, or the table's only model. As an expected model, it stands for any.
    package static let root = SubmodelIndex(0)
    package var isRoot: Bool { rawValue == 0 }
}

/// A row's local key in its table, `_id`. Imported rows are positive and count up; rows of objects created locally are
/// negative.
package struct RowID: IntegerIdentifier, BitwiseCopyable {
    package let rawValue: Int64
    @inline(__always)
    package init(_ rawValue: Int64) { self.rawValue = rawValue }

    /// Whether the row belongs to an object that was created locally, in any process.
    var isOfNewObject: Bool { rawValue < 0 }

    /// The default sort key of rows: imported rows, then rows of objects created locally, each in order of creation. It
    /// is the same before and after a new object is saved.
    var arrival: UInt64 { UInt64(bitPattern: rawValue) }
}

package struct RecordID: Hashable, Sendable {
    package let table: TableID
    package let row: RowID

    @inline(__always)
    package init(table: TableID, row: RowID) {
        self.table = table
        self.row = row
    }
}

package struct ListOwner: Hashable, Sendable {
    package let record: RecordID
    package let property: PropertyIndex

    package init(_ property: PropertyIndex, of record: RecordID) {
        self.record = record
        self.property = property
    }
}

extension StoredValue {
    /// The value of a link's column.
    package init(_ row: RowID?) { self = row.map { .integer($0.rawValue) } ?? .null }

    /// The row that a link's column references.
    package var row: RowID? { if case .integer(let id) = self { RowID(id) } else { nil } }
}
