/// Of text on a terminal with colours.
enum Style: Int {
    case plain = 0
    case bold = 1
    case dim = 2
    case red = 31
    case green = 32
    case cyan = 36

    func applied(to text: String) -> String {
        Terminal.hasColours && self != .plain && !text.isEmpty ? "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" : text
    }
}
