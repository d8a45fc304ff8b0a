import Foundation

/// A pipe or file gets whole fields.
enum Terminal {
    /// nil for a pipe or file. GH_FORCE_TTY simulates a terminal of its width.
    static let width: Int? = {
        let forced = ProcessInfo.processInfo.environment["GH_FORCE_TTY"].flatMap { $0.isEmpty ? nil : $0 }
        guard forced != nil || isatty(STDOUT_FILENO) == 1 else { return nil }
        return forced.flatMap(Int.init) ?? measuredWidth ?? usualWidth
    }()

    /// NO_COLOR switches them off.
    static let hasColours: Bool = {
        let environment = ProcessInfo.processInfo.environment
        return width != nil && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }()

    /// Whether standard error can erase a line.
    static let hasStatusLine: Bool = {
        let environment = ProcessInfo.processInfo.environment
        return isatty(STDERR_FILENO) == 1 && environment["TERM"] != "dumb" && environment["CI", default: ""].isEmpty
    }()

    private static let usualWidth = 80

    private static var measuredWidth: Int? {
        var size = winsize()
        // Safe: the call only fills in the struct, and keeps no pointer to it.
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}
