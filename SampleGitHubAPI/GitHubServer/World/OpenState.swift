enum OpenState: String, Sendable, JSONRepresentable {
    case open, closed

    var json: JSON { .string(rawValue) }
}
