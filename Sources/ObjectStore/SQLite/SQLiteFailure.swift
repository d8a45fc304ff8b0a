import Foundation
import GRDB
import GRDBSQLite
import JSONBytes

/// A failed call of SQLite. Users get ``storeError``.
struct SQLiteFailure: Error {
    let code: Int32
    let message: String
    let sql: String
    let path: String

    /// Another row has the same identity (SQLITE_CONSTRAINT_UNIQUE).
    var isDuplicate: Bool { code == SQLITE_CONSTRAINT | 8 << 8 }

    /// SQLite refuses the statement's text, a parameter index, or a write on a read-only connection.
    var isOfText: Bool { code & 0xff == SQLITE_ERROR || code & 0xff == SQLITE_RANGE || code & 0xff == SQLITE_READONLY }

    var storeError: StoreError {
        switch code & 0xff {
        case SQLITE_NOTADB: .file(.notADatabase, path: path)
        case SQLITE_CANTOPEN:
            .file(OpenFiles.haveRoomForDatabase ? .cannotOpen(message) : .tooManyOpenFiles, path: path)
        case SQLITE_READONLY, SQLITE_PERM: .file(.readOnly, path: path)
        case SQLITE_FULL: .file(.full, path: path)
        case SQLITE_BUSY, SQLITE_LOCKED: .file(.busy, path: path)
        case SQLITE_CORRUPT: .file(.damaged(message), path: path)
        case SQLITE_CONSTRAINT: .constraint(message)
        case SQLITE_INTERRUPT: .cancelled
        default: .file(.other(code: code, "\(message), in \(sql)"), path: path)
        }
    }
}

enum OpenFiles {
    /// Whether four more files can be opened, as a database needs. SQLite doesn't report this reason.
    ///
    /// Don't open the database file for this test: closing it would drop this process's locks
    /// (https://sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_).
    static var haveRoomForDatabase: Bool {
        var descriptors: [Int32] = []
        defer { for descriptor in descriptors { close(descriptor) } }
        for _ in 0..<4 {
            let descriptor = unsafe open("/", O_RDONLY | O_CLOEXEC)
            if descriptor < 0 { return errno != EMFILE && errno != ENFILE }
            descriptors.append(descriptor)
        }
        return true
    }
}

extension StoreError {
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
