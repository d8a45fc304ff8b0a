public import HTTPTypes

/// Adds header fields to every request that lacks them.
///
/// ```swift
/// Headers([.accept: "application/vnd.github+json"])
/// Headers([HTTPField.Name("X-API-Key")!: key], secret: true)
/// ```
public struct Headers: Middleware, RequestEditing {
    private let fields: HTTPFields
    private let secret: Bool

    /// Adds these fields.
    ///
    /// - Parameter secret: Whether the values are credentials, sent to the API's own origin only, also after redirects.
    public init(_ fields: HTTPFields, secret: Bool = false) {
        self.fields = fields
        self.secret = secret
    }

    /// Sends the request with the fields added.
    public func intercept(_ request: APIRequest, next: Next) async throws(TransportError) -> APIResponse {
        try await next(edited(request))
    }

    package func edited(_ request: APIRequest) -> APIRequest {
        guard !secret || request.mayCarryCredentials else { return request }
        var changed = request
        for field in fields where !request.headerFields.contains(field.name) {
            changed.headerFields.append(field)
            if secret { changed.credentialFields.insert(field.name) }
        }
        return changed
    }
}

extension Headers: CustomStringConvertible, CustomReflectable {
    /// The names of the fields; their values are omitted.
    public var description: String { "Headers(\(fields.map(\.name.rawName).joined(separator: ", ")))" }

    /// The description alone.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
}

extension APIRequest {
    /// Only the API's own origin gets credentials.
    var mayCarryCredentials: Bool { apiOrigin != nil && apiOrigin == Origin(url) }
}
