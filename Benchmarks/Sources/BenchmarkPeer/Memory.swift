import Foundation

/// How much memory this process had at most since a point in time, as Linux counts it; 0 elsewhere.
enum Memory {
    /// Starts to look for the peak, and says how many MB there are now.
    static func startPeak() throws -> Double {
        #if os(Linux)
            // "5" sets VmHWM back to the present resident size (proc(5), clear_refs).
            try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
            return try megabytes("VmRSS:")
        #else
            return 0
        #endif
    }

    /// The most MB that were resident since `startPeak`.
    static func peak() throws -> Double {
        #if os(Linux)
            return try megabytes("VmHWM:")
        #else
            return 0
        #endif
    }

    private static func megabytes(_ name: String) throws -> Double {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
        return (line?.split { " \t".contains($0) }.dropFirst().first.flatMap { Double($0) } ?? 0) / 1024
    }
}
