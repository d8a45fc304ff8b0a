/// Why an OpenAPI description can't be used at all.
public enum OpenAPIError: Error, Sendable, Hashable {
    /// The file is missing, or is neither JSON nor YAML.
    case unreadable(file: String, reason: String)
    /// The file is no OpenAPI description of version 3.0 or 3.1. `found` is what it says of its version, if anything.
    case unsupported(file: String, found: String?)
}

extension OpenAPIError: CustomStringConvertible {
    /// The mistake, the file, and what to do.
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

/// A part of a description that can't be read and is left out: a `$ref` that leads nowhere, for example.
public struct OpenAPIProblem: Sendable, Hashable {
    /// Where it is, as a JSON pointer (RFC 6901): `#/paths/~1users/get/responses/200`.
    public let place: String
    /// What is wrong, and what becomes of it.
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
