import Foundation

/// How a piece of text looks on a terminal that shows colours.
enum Style: Int {
    case plain = 0
    case bold = 1
    case dim = 2
    case red = 31
    case green = 32
    case cyan = 36

    /// Only where standard output is a terminal, and nobody asked for none by setting NO_COLOR.
    static let isOn: Bool = {
        let environment = ProcessInfo.processInfo.environment
        return isatty(STDOUT_FILENO) == 1 && environment["NO_COLOR", default: ""].isEmpty
            && environment["TERM"] != "dumb"
    }()

    func applied(to text: String) -> String {
        Style.isOn && self != .plain && !text.isEmpty ? "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" : text
    }
}
