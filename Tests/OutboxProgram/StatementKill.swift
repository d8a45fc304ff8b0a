import Foundation
import GRDBSQLite
import Synchronization

/// Kills this process at a moment of its work on files.
///
/// SQLite calls back when a statement begins and when it ends. So a process ends before, within and after transactions.
enum StatementKill {
    private static let left = Atomic(0)

    private typealias Opened =
        @convention(c) (
            OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, UnsafeRawPointer?
        ) -> Int32

    /// Kills this process by SIGKILL at one of the following moments.
    ///
    /// - Parameter number: how many beginnings and ends of statements it takes, on connections that are opened from now
    ///   on; 1 for the next.
    static func plan(after number: Int) {
        left.store(number, ordering: .relaxed)
        let opened: Opened = { connection, _, _ in
            let events = UInt32(SQLITE_TRACE_STMT | SQLITE_TRACE_PROFILE)
            let count:
                @convention(c) (
                    UInt32, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?
                ) -> Int32 = { _, _, _, _ in
                    StatementKill.count()
                    return 0
                }
            return unsafe sqlite3_trace_v2(connection, events, count, nil)
        }
        // SQLite calls it with these parameters, although its declaration omits them (sqlite3.h, "Automatically Load
        // Statically Linked Extensions").
        _ = unsafe sqlite3_auto_extension(unsafeBitCast(opened, to: (@convention(c) () -> Void).self))
    }

    private static func count() {
        if left.wrappingSubtract(1, ordering: .relaxed).newValue == 0 { kill(getpid(), SIGKILL) }
    }
}
