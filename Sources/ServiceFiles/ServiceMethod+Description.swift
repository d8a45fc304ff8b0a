import HTTPTypes
import JSONBytes

extension ServiceMethod {
    /// Such as `GET /images/%0?size=%1 → User`.
    package var requestLine: String {
        let query = request.query.isNone ? "" : "?\(request.query)"
        let content = [
            ("header", request.header), ("parameters", request.parameters), ("files", request.files),
            ("body", request.body),
        ].filter { !$0.1.isNone }.map { "\($0.0): \($0.1)" }
        let details = content.isEmpty ? "" : " (\(content.joined(separator: ", ")))"
        let target = result ?? (request.kind == .download ? "file" : nil)
        return "\(request.method.rawValue) \(request.path)\(query)\(details)" + (target.map { " → \($0)" } ?? "")
    }
}

extension ServiceValue: CustomStringConvertible {
    /// As in the file.
    package var description: String {
        switch self {
        case .none: ""
        case .text(let text): text.description
        case .constant(let value): value.scalarText ?? "null"
        case .list(let elements): elements.map(\.description).joined(separator: ", ")
        case .object(let members): members.map { "\($0.key)=\($0.value)" }.joined(separator: "&")
        }
    }
}

extension ServiceText: CustomStringConvertible {
    /// As in the file.
    package var description: String {
        parts.map { part in
            switch part {
            case .text(let text): text.replacing("%", with: "%%")
            case .argument(let place): place.description
            }
        }.joined()
    }
}

extension JSONValue {
    package var scalarText: String? {
        switch self {
        case .string(let text), .number(let text): text
        case .bool(let flag): flag ? "true" : "false"
        case .null, .array, .object: nil
        }
    }
}
