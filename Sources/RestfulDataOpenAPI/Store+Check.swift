public import Foundation
public import ObjectStore
public import OpenAPIFiles
public import RestfulData

extension Store {
    /// Compares the models with the description of their service: covered operations, differences, and suggestions.
    ///
    /// ```swift
    /// let description = try OpenAPIDescription(contentsOf: URL(filePath: "openapi.yaml"))
    /// print(try store.check(against: description))
    /// // Blog: 9 operations, 6 covered, 3 not; 1 difference
    /// // Differences
    /// //   Post.titel (GET /posts/{id}): no reply has "titel"; did you mean "title"?
    /// // Covered
    /// //   GET /posts        Post.fetchAll(in:)
    /// // …
    /// ```
    ///
    /// It sends no request, and leaves the store's file unread. A name in a path matches any name in a template, which
    /// can match several: `:full_name` matches `{owner}/{repo}`. Types are compared if the description has schemas; an
    /// untyped one matches everything.
    ///
    /// - Parameter api: The name of the described API, in a store with several; by default the first.
    /// - Throws: ``StoreError/models(_:)`` for an unknown API.
    public func check(
        against description: OpenAPIDescription, api: String? = nil
    ) throws(StoreError) -> OpenAPIReport {
        switch schema.api(named: api) {
        case .success(let index): return DescriptionCheck(description, of: self, at: index).report
        case .failure(let unknown): throw .models([unknown.text(of: "check(against:api:)")])
        }
    }

    /// Compares the models with a description that is read from a file, or fetched.
    ///
    /// - Parameter url: A file, or an `https` or `http` URL, requested without credentials.
    /// - Throws: ``OpenAPIError`` if the file is invalid, ``APIError`` if the request fails, ``StoreError`` for an
    ///   unknown API.
    public nonisolated(nonsending) func check(against url: URL, api: String? = nil) async throws -> OpenAPIReport {
        guard let place = DescriptionPlace(url) else {
            return try check(against: OpenAPIDescription(contentsOf: url), api: api)
        }
        let description = try await OpenAPIDescription.fetch(URLTemplate(place.template), from: API(place.server))
        return try check(against: description, api: api)
    }
}

/// The place of a description at a server, less credentials and fragment.
package struct DescriptionPlace {
    package let server: String
    /// In a template, a plain colon would begin a placeholder.
    package let template: String

    /// - Returns: nil for a file.
    package init?(_ url: URL) {
        guard !url.isFileURL, var parts = URLComponents(url: url, resolvingAgainstBaseURL: true), parts.host != nil
        else { return nil }
        let path = parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
        let query = parts.percentEncodedQuery.map { "?\($0)" } ?? ""
        template = (path + query).replacing(":", with: "%3A")
        (parts.path, parts.query, parts.fragment) = ("", nil, nil)
        (parts.user, parts.password) = (nil, nil)
        guard let server = parts.string else { return nil }
        self.server = server
    }
}

extension OpenAPIDescription {
    /// Fetches a service's description by one GET request, with the API's credentials.
    ///
    /// - Parameter template: A path below the base URL, or an absolute URL.
    /// - Throws: ``APIError``; ``OpenAPIError`` if the reply is an invalid description.
    public nonisolated(nonsending) static func fetch(
        _ template: URLTemplate, from api: API
    ) async throws -> OpenAPIDescription {
        let data = try await api.data(template)
        return try OpenAPIDescription(data, named: "\(template)")
    }
}
