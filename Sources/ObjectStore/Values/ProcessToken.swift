import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A process that has opened a file. Its requests are in flight while it runs.
struct ProcessToken: Hashable, Sendable {
    /// Process number, start time and a random number: `4711-8829312-590431274398`.
    let text: String

    init(text: String) { self.text = text }

    /// The stores of this process with the same file share one token.
    static func make() -> ProcessToken {
        let start = state(of: getpid())?.start ?? ""
        return ProcessToken(text: "\(getpid())-\(start)-\(Int64.random(in: 1 << 40..<Int64.max))")
    }

    /// Whether another process may still have requests in flight. False for this process, and for processes in other
    /// containers.
    var isAlive: Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, let process = pid_t(parts[0]), process > 0, process != getpid() else { return false }
        // A process of another user exists but can't be signalled.
        guard kill(process, 0) == 0 || errno == EPERM else { return false }
        guard let state = Self.state(of: process) else { return true }
        // Another process may have the number by now.
        return !state.hasEnded && (parts[1].isEmpty || state.start == parts[1])
    }

    private struct State {
        /// The start, in a system's unit.
        let start: String
        /// Whether it is a zombie: ended, while its parent still has to read its status.
        let hasEnded: Bool
    }

    /// nil if the system lacks the information.
    private static func state(of process: pid_t) -> State? {
        #if canImport(Darwin)
            var (info, size) = (kinfo_proc(), MemoryLayout<kinfo_proc>.stride)
            var name = [CTL_KERN, KERN_PROC, KERN_PROC_PID, process]
            guard unsafe sysctl(&name, 4, &info, &size, nil, 0) == 0, size > 0 else { return nil }
            let start = unsafe info.kp_proc.p_starttime
            return State(
                start: "\(start.tv_sec).\(start.tv_usec)", hasEnded: unsafe info.kp_proc.p_stat == CChar(SZOMB))
        #else
            // After the program's name, which is in parentheses and may contain spaces: proc(5).
            guard let bytes = FileManager.default.contents(atPath: "/proc/\(process)/stat"),
                let end = bytes.lastIndex(of: UInt8(ascii: ")"))
            else { return nil }
            let fields = String(decoding: bytes[bytes.index(after: end)...], as: UTF8.self).split(separator: " ")
            guard fields.count > 19 else { return nil }
            return State(start: String(fields[19]), hasEnded: ["Z", "X"].contains(fields[0]))
        #endif
    }
}
