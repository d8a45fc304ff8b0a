public import ObjectStore

/// The operations on an object at a URL (``CustomURLs``).
public enum ObjectVerb: String, Sendable, Hashable, CaseIterable {
    case create, fetch, update, delete
}

/// A model that computes the URLs of its objects, where no template can express them.
///
/// ```swift
/// extension Invoice: CustomURLs {
///     func url(to verb: ObjectVerb) -> URLTemplate? {
///         verb == .update && isDraft ? "/drafts/\(number)" : nil
///     }
/// }
/// ```
///
/// Declared URLs (`@Model(update: "/profile")`) are checked when the store opens, so prefer them.
public protocol CustomURLs: Model {
    /// The URL of a request about this object.
    ///
    /// This is called for each request, and must be free of side effects. For a queued deletion (``Model/delete(_:)``)
    /// it is called when you queue the deletion, since the object no longer exists when the request is sent.
    ///
    /// - Returns: a path below the API's base URL, or an absolute URL, whose names take their values from the object;
    ///   nil for the declared URL.
    func url(to verb: ObjectVerb) -> URLTemplate?
}

extension ObjectVerb {
    fileprivate var declared: RouteTable.Verb {
        switch self {
        case .create: .create
        case .fetch: .fetch
        case .update: .update
        case .delete: .delete
        }
    }
}

extension Model {
    /// nil for the declared URL. If the server may lack the object, names take their values when the DELETE is sent.
    func deletionAddress(by client: APIClient) throws(APIError) -> DeletedRows.Address? {
        guard let template = (self as? any CustomURLs)?.url(to: .delete) else { return nil }
        let (text, values) = try template.named()
        if !isKnownToServer, values.isEmpty { return DeletedRows.Address(text, isTemplate: true) }
        return DeletedRows.Address(try client.url(template, for: _object).text, isTemplate: false)
    }

    /// The call's own, the computed one, or the declared one.
    func requestURL(to verb: ObjectVerb, by client: APIClient) throws(APIError) -> RequestURL {
        if let template = (self as? any CustomURLs)?.url(to: verb) {
            return try client.callURL(try client.url(template, for: _object), for: _object)
        }
        return try client.callURL(
            verb == .create ? try client.creationURL(of: _object) : try client.ownURL(of: _object, to: verb.declared),
            for: _object)
    }
}
