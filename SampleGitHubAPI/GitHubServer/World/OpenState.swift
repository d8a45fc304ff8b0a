/// Whether an issue or a milestone is open.
enum OpenState: String, Sendable, JSONRepresentable {
    case open, closed

    var json: JSON { .string(rawValue) }
}
