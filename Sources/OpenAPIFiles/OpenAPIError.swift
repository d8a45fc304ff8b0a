/// The reason why an OpenAPI description is unusable.
public enum OpenAPIError: Error, Sendable, Hashable {
    /// The file is missing, or in a format other than JSON and YAML.
    case unreadable(file: String, reason: String)
    /// The file has another format than OpenAPI 3.0 or 3.1. `found` is its stated version, if any.
    case unsupported(file: String, found: String?)
}

extension OpenAPIError: CustomStringConvertible {
    /// The error, the file, and the way to solve it.
    public var description: String {
        switch self {
        case .unreadable(let file, let reason): "The description \(file) can't be read: \(reason)."
        case .unsupported(let file, nil):
            "\(file) is no OpenAPI description: it has no \"openapi\" with a version. Give a description of OpenAPI 3.0 or 3.1."
        case .unsupported(let file, let found?):
            "\(file) is a description in \(found), which can't be read. Convert it to OpenAPI 3.0 or 3.1."
        }
    }
}

/// An invalid part of a description, which is left out.
public struct OpenAPIProblem: Sendable, Hashable {
    /// The location, as a JSON pointer (RFC 6901): `#/paths/~1users/get/responses/200`.
    public let place: String
    /// The problem and its effect.
    public let reason: String

    package init(place: JSONPointer, reason: String) {
        self.place = place.description
        self.reason = reason
    }
}

extension OpenAPIProblem: CustomStringConvertible {
    /// The place, a colon and the reason.
    public var description: String { "\(place): \(reason)" }
}
