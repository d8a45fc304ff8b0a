import GRDB
import GRDBSQLite
import JSONBytes

extension StoreError {
    /// Whatever the parts below throw, as this module's one error type.
    init(wrapping error: any Error, path: String) {
        switch error {
        case let error as StoreError: self = error
        case let failure as SQLiteFailure: self = failure.storeError
        case let error as JSONError: self = .json(error)
        case is CancellationError: self = .cancelled
        case let error as DatabaseError:
            self =
                SQLiteFailure(
                    code: error.extendedResultCode.rawValue, message: error.message ?? "", sql: error.sql ?? "",
                    path: path
                ).storeError
        default: self = .file(.other(code: SQLITE_ERROR, "\(error)"), path: path)
        }
    }
}
