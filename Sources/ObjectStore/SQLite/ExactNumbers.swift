import Foundation
import GRDBSQLite

/// SQL functions for exact sums and means of decimals and unsigned integers, and for operations on two decimals.
/// SQLite's own would use floating point.
enum ExactNumbers {
    /// The sum as decimal text: `restful_sum(value, isUnsigned)`.
    static let sum = "restful_sum"
    /// The sum and the number of values, separated by a slash. The caller divides them.
    static let mean = "restful_mean"
    /// `restful_decimal('+', left, right)`, also with `-`, `*` and `/`.
    static let operation = "restful_decimal"

    static func register(on connection: Connection) throws {
        if (try? connection.statement("SELECT \(operation)('+', '1', '1')")) != nil { return }
        try unsafe add(operation, to: connection, arguments: 3) { context, _, arguments in
            let operation = unsafe Self.text(arguments?[0]).flatMap(NumberOperation.init)
            let (left, right) = unsafe (Self.value(arguments?[1]), Self.value(arguments?[2]))
            unsafe Self.give(operation?.decimal(left, right) ?? .null, to: context)
        }
        try unsafe addAggregate(sum, to: connection) { context in
            unsafe Self.give(Self.takeTotal(of: context)?.text.map { .text($0) } ?? .null, to: context)
        }
        try unsafe addAggregate(mean, to: connection) { context in
            let total = unsafe Self.takeTotal(of: context)
            let mean = total.flatMap { total in total.text.map { StoredValue.text("\($0)/\(total.count)") } }
            unsafe Self.give(mean ?? .null, to: context)
        }
    }

    private typealias Function = @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

    private static func add(
        _ name: String, to connection: Connection, arguments: Int32, _ function: Function
    ) throws {
        let code = unsafe sqlite3_create_function_v2(
            connection.handle, name, arguments, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, nil, function,
            nil, nil, nil)
        guard code == SQLITE_OK else { throw connection.failure(code, name) }
    }

    private static func addAggregate(
        _ name: String, to connection: Connection, _ final: @convention(c) (OpaquePointer?) -> Void
    ) throws {
        let code = unsafe sqlite3_create_function_v2(
            connection.handle, name, 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, nil, nil,
            { context, _, arguments in
                // SQLite passes two arguments, as declared.
                let isUnsigned = unsafe sqlite3_value_int64(arguments?[1]) != 0
                unsafe ExactNumbers.total(of: context)?.add(ExactNumbers.value(arguments?[0]), isUnsigned: isUnsigned)
            }, final, nil)
        guard code == SQLITE_OK else { throw connection.failure(code, name) }
    }

    // MARK: Values

    private static func text(_ value: OpaquePointer?) -> String? {
        guard let value = unsafe value, unsafe sqlite3_value_type(value) != SQLITE_NULL,
            let bytes = unsafe sqlite3_value_text(value)
        else { return nil }
        // The bytes are valid until the call returns.
        let count = unsafe Int(sqlite3_value_bytes(value))
        return unsafe String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    private static func value(_ value: OpaquePointer?) -> StoredValue {
        switch unsafe sqlite3_value_type(value) {
        case SQLITE_INTEGER: unsafe .integer(sqlite3_value_int64(value))
        case SQLITE_FLOAT: unsafe .real(sqlite3_value_double(value))
        default: unsafe text(value).map { .text($0) } ?? .null
        }
    }

    private static func give(_ value: StoredValue, to context: OpaquePointer?) {
        guard case .text(let text) = value else { return unsafe sqlite3_result_null(context) }
        // -1 is SQLITE_TRANSIENT.
        unsafe sqlite3_result_text(context, text, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
    }

    // MARK: Aggregates

    /// SQLite keeps a zeroed word for each group, which stores the retained object. It always calls the final function,
    /// which releases the object (``takeTotal(of:)``).
    private static func total(of context: OpaquePointer?) -> DecimalTotal? {
        let size = Int32(MemoryLayout<UInt>.size)
        guard let place = unsafe sqlite3_aggregate_context(context, size) else { return nil }
        let address = unsafe place.assumingMemoryBound(to: UInt.self)
        if let known = unsafe UnsafeRawPointer(bitPattern: address.pointee) {
            return unsafe Unmanaged<DecimalTotal>.fromOpaque(known).takeUnretainedValue()
        }
        let total = DecimalTotal()
        unsafe address.pointee = UInt(bitPattern: Unmanaged.passRetained(total).toOpaque())
        return total
    }

    /// Releases SQLite's reference. `nil` if the group had no rows.
    private static func takeTotal(of context: OpaquePointer?) -> DecimalTotal? {
        guard let place = unsafe sqlite3_aggregate_context(context, 0) else { return nil }
        let address = unsafe place.assumingMemoryBound(to: UInt.self)
        guard let known = unsafe UnsafeRawPointer(bitPattern: address.pointee) else { return nil }
        unsafe address.pointee = 0
        return unsafe Unmanaged<DecimalTotal>.fromOpaque(known).takeRetainedValue()
    }
}
