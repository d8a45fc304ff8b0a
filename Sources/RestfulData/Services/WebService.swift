public import Foundation
package import ServiceFiles

/// The methods of a web service that a file describes: a property list, JSON, or YAML (`RestfulDataYAML`).
///
/// ```swift
/// let images = try WebService(plistURL: url, api: api)
/// let file = try await images.downloadImage("cat.png", to: url)
/// let users: [User] = try await images.usersList(in: store.main)
/// ```
///
/// The file has an object for each method:
///
/// ```json
/// {
///   "searchWithZIPCode:completionBlock:": {
///     "request": { "path": "/pharmacies?zip=%0", "method": "GET", "header": { "X-Locale": "de" } },
///     "serialization": { "serializedObject": "Pharmacy" }
///   }
/// }
/// ```
///
/// A key is a plain name, such as `search`, or an Objective-C selector, which becomes its first word: `search`, or
/// `searchWithZIPCode`, which always works, if several methods begin with that word. `%0` stands for the first argument
/// of a call, and `%0[owner.login]` for a property of it. See <doc:ServicesFromFiles>.
@dynamicMemberLookup
public struct WebService: Sendable {
    /// The API of the requests, with its base URL, credentials and limits.
    public let api: API
    private let methods: [String: ServiceMethod]
    private let readers: [String: ReplyReader]

    /// Reads a property list.
    ///
    /// - Parameters:
    ///   - plistURL: the file, in any format of property lists.
    ///   - api: the API of the requests.
    ///   - readers: convert replies to JSON, by the names in the file's `serializator`.
    /// - Throws: ``WebServiceError`` with all mistakes of the file and their lines.
    public init(plistURL: URL, api: API, readers: [String: ReplyReader] = [:]) throws(WebServiceError) {
        try self.init(ServiceFile.Source(propertyList: plistURL), api: api, readers: readers)
    }

    /// Reads JSON.
    ///
    /// - Parameters:
    ///   - jsonURL: the file.
    ///   - api: the API of the requests.
    ///   - readers: convert replies to JSON, by the names in the file's `serializator`.
    /// - Throws: ``WebServiceError`` with all mistakes of the file and their lines.
    public init(jsonURL: URL, api: API, readers: [String: ReplyReader] = [:]) throws(WebServiceError) {
        try self.init(ServiceFile.Source(json: jsonURL), api: api, readers: readers)
    }

    /// Reads JSON in memory, as generated code of a service file does.
    ///
    /// - Parameters:
    ///   - json: the content of the file.
    ///   - name: the file's name, for messages.
    ///   - api: the API of the requests.
    ///   - readers: convert replies to JSON, by the names in the file's `serializator`.
    /// - Throws: ``WebServiceError`` with all mistakes and their lines.
    public init(
        json: String, named name: String = "service", api: API, readers: [String: ReplyReader] = [:]
    ) throws(WebServiceError) {
        try self.init(ServiceFile.Source(json: Array(json.utf8), named: name), api: api, readers: readers)
    }

    package init(
        _ source: ServiceFile.Source, api: API, readers: [String: ReplyReader]
    ) throws(WebServiceError) {
        let file = try ServiceFile(source, readers: Array(readers.keys))
        methods = Dictionary(file.methods.map { ($0.name, $0) }) { $1 }
        (self.api, self.readers) = (api, readers)
    }

    /// Finds a method by its name. Calling an unknown name throws an error.
    public subscript(dynamicMember name: String) -> WebServiceMethod { self[name] }

    /// Finds a method by its name in Swift or in the file: `service["searchWithZIPCode:completionBlock:"]`.
    public subscript(_ name: String) -> WebServiceMethod {
        let method = methods[name] ?? methods.values.first { $0.key == name || $0.longName == name }
        guard let method else { return WebServiceMethod(api: api, content: .failure(unknown(name))) }
        let reader = method.reader.flatMap { readers[$0] }
        return WebServiceMethod(api: api, content: .success((method, reader)))
    }

    private func unknown(_ name: String) -> WebServiceError {
        let names = methods.keys.sorted()
        return .unknownMethod(
            name, nearest: nearestName(to: name, among: names), methods: methods.values.map(\.signature).sorted())
    }

    /// Lists each method as you call it, with its request and result.
    ///
    /// ```
    /// downloadImage(name)      GET /images/%0 → file
    /// usersList()              GET /users → User
    /// ```
    public func describe() -> String {
        let rows = methods.values.sorted { $0.name < $1.name }.map { (call: $0.signature, request: $0.requestLine) }
        let width = rows.map(\.call.count).max() ?? 0
        return rows.map { row in
            row.call + String(repeating: " ", count: width - row.call.count + 2) + row.request
        }.joined(separator: "\n")
    }
}
