public import Foundation
public import ObjectStore
public import OpenAPIFiles
public import RestfulData

extension Store {
    /// Compares the models with what their service says of itself: which of its operations they cover, what is declared
    /// otherwise than it has it, and how the other operations can be sent.
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
    /// Nothing is sent, and the file isn't read. A name of a path stands for any name of a template, and one name of a
    /// template for several names of a path, as `:full_name` for `{owner}/{repo}`. Shapes are compared where the
    /// description has schemas of them; a schema that may be anything differs from nothing.
    ///
    /// - Parameters:
    ///   - description: the service's description.
    ///   - api: the name of the API that is described, in a store with several; by default the first one.
    /// - Returns: the report, the same for the same declarations and description.
    /// - Throws: ``StoreError/models(_:)`` for a name that no API of the store has.
    public func check(
        against description: OpenAPIDescription, api: String? = nil
    ) throws(StoreError) -> OpenAPIReport {
        switch schema.api(named: api) {
        case .success(let index): return DescriptionCheck(description, of: self, at: index).report
        case .failure(let unknown): throw .models([unknown.text(of: "check(against:api:)")])
        }
    }

    /// The same with a description that is read from a file, or fetched.
    ///
    /// ```swift
    /// print(try await store.check(against: URL(filePath: "openapi.yaml")))
    /// ```
    ///
    /// - Parameters:
    ///   - url: the URL of a file, or one with `https` or `http`, which is fetched without credentials.
    ///   - api: the name of the API that is described, in a store with several.
    /// - Throws: ``OpenAPIError`` for what is no description, ``APIError`` for one that can't be fetched,
    ///   ``StoreError`` for an unknown API.
    public nonisolated(nonsending) func check(against url: URL, api: String? = nil) async throws -> OpenAPIReport {
        guard !url.isFileURL, let host = url.host() else {
            return try check(against: OpenAPIDescription(contentsOf: url), api: api)
        }
        let server = API("\(url.scheme ?? "https")://\(host)\(url.port.map { ":\($0)" } ?? "")")
        return try check(
            against: await OpenAPIDescription.fetch(URLTemplate(url.absoluteString), from: server), api: api)
    }
}

extension OpenAPIDescription {
    /// Fetches a description that a service offers, with one GET request.
    ///
    /// ```swift
    /// let description = try await OpenAPIDescription.fetch("/openapi.json", from: api)
    /// ```
    ///
    /// - Parameters:
    ///   - template: a path below the API's base URL, or an absolute URL.
    ///   - api: what sends the request, with its credentials.
    /// - Throws: ``APIError``; ``OpenAPIError`` for a reply that is no description.
    public nonisolated(nonsending) static func fetch(
        _ template: URLTemplate, from api: API
    ) async throws -> OpenAPIDescription {
        let data = try await api.data(template)
        return try OpenAPIDescription(data, named: "\(template)")
    }
}
