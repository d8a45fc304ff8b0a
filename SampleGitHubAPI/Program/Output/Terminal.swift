import Foundation

/// What standard output is: a terminal of some width, or something that wants whole fields, such as a pipe or a file.
enum Terminal {
    /// How many columns it has; nil where it is no terminal. GH_FORCE_TTY makes it one, of the width that it says.
    static let width: Int? = {
        let forced = ProcessInfo.processInfo.environment["GH_FORCE_TTY"].flatMap { $0.isEmpty ? nil : $0 }
        guard forced != nil || isatty(STDOUT_FILENO) == 1 else { return nil }
        return forced.flatMap(Int.init) ?? measuredWidth ?? usualWidth
    }()

    /// Colours are for a terminal, unless somebody asked for none by setting NO_COLOR.
    static let hasColours: Bool = {
        let environment = ProcessInfo.processInfo.environment
        return width != nil && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }()

    /// Whether standard error is a terminal that can take a line back: not where somebody reads a log.
    static let hasStatusLine: Bool = {
        let environment = ProcessInfo.processInfo.environment
        return isatty(STDERR_FILENO) == 1 && environment["TERM"] != "dumb" && environment["CI", default: ""].isEmpty
    }()

    private static let usualWidth = 80

    private static var measuredWidth: Int? {
        var size = winsize()
        // Safe: the call fills in the struct that it is given, and keeps nothing of it.
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}
