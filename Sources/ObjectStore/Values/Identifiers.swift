/// Lets the compiler distinguish the integers of tables, columns and properties.
package protocol IntegerIdentifier: Hashable, Comparable, Sendable {
    associatedtype RawValue: BinaryInteger & Hashable & Sendable
    var rawValue: RawValue { get }
    init(_ rawValue: RawValue)
}

extension IntegerIdentifier {
    @inline(__always)
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// Hashes as the integer does. The synthesized function takes twice as long.
    @inline(__always)
    package func _rawHashValue(seed: Int) -> Int { rawValue._rawHashValue(seed: seed) }
}

/// The index in ``Schema/roots`` of the table's model, or of the one that its others inherit from.
package struct TableID: IntegerIdentifier, BitwiseCopyable {
    package let rawValue: Int
    @inline(__always)
    package init(_ rawValue: Int) { self.rawValue = rawValue }

    /// The table of a class outside the store's models. It is in no file.
    package static let unknown = TableID(-1)
}

/// The index in the store's APIs, and in ``Schema/styles``.
package struct APIIndex: IntegerIdentifier {
    package let rawValue: Int
    @inline(__always)
    package init(_ rawValue: Int) { self.rawValue = rawValue }

    /// The API of models that leave it unnamed.
    package static let main = APIIndex(0)
}

/// The index in ``ModelSchema/properties``.
package struct PropertyIndex: IntegerIdentifier {
    package let rawValue: Int
    @inline(__always)
    package init(_ rawValue: Int) { self.rawValue = rawValue }
}

/// The index in ``ModelSchema/columns``.
package struct ColumnIndex: IntegerIdentifier {
    package let rawValue: Int
    @inline(__always)
    package init(_ rawValue: Int) { self.rawValue = rawValue }
}

/// A list's number over all models of a schema.
package struct ListID: IntegerIdentifier {
    package let rawValue: Int
    @inline(__always)
    package init(_ rawValue: Int) { self.rawValue = rawValue }
}

/// A model among those that share a table.
package struct SubmodelIndex: IntegerIdentifier {
    package let rawValue: Int
    @inline(__always)
    package init(_ rawValue: Int) { self.rawValue = rawValue }

    /// The table's only model, or the one that the others inherit from. As an expected model, it stands for any.
    package static let root = SubmodelIndex(0)
    package var isRoot: Bool { rawValue == 0 }
}

/// A row's local key, `_id`. Imported rows are positive and count up; locally created ones are negative.
package struct RowID: IntegerIdentifier, BitwiseCopyable {
    package let rawValue: Int64
    @inline(__always)
    package init(_ rawValue: Int64) { self.rawValue = rawValue }

    /// True for objects created locally, in any process.
    var isOfNewObject: Bool { rawValue < 0 }

    /// The sort key of members without a position: imported rows, then rows of objects created locally, each in order
    /// of creation. Saving a new object leaves it the same.
    var creationOrder: UInt64 { UInt64(bitPattern: rawValue) }
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
    package init(_ row: RowID?) { self = row.map { .integer($0.rawValue) } ?? .null }

    package var row: RowID? { if case .integer(let id) = self { RowID(id) } else { nil } }
}
