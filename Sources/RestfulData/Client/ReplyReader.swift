public import JSONBytes
import ObjectStore
public import RESTTransport

/// Converts a successful reply to the JSON of models (``Call/reading``).
///
/// ```swift
/// /// {"success": 0, "reason": "…"} with status 200 is a failure.
/// let flagged = ReplyReader { (json: JSONValue) throws in
///     guard json["success"]?.integer == 1 else { throw ShopError(json["reason"]?.string) }
///     return json["data"] ?? .null
/// }
/// let orders = try await Order.fetchAll(in: context) { $0.reading = flagged }
/// ```
///
/// It runs off the caller's actor. Its errors reach the caller in ``APIError/unread(_:_:)``.
public struct ReplyReader: Sendable {
    let read: @Sendable (APIResponse) async throws -> APIResponse

    /// Reads responses.
    ///
    /// - Parameter read: returns the response to import, with JSON as its body. Its header fields lead to further
    ///   pages.
    public init(response read: @escaping @Sendable (APIResponse) async throws -> APIResponse) { self.read = read }

    /// Reads replies that are JSON, and returns the JSON to import.
    public init(_ read: @escaping @Sendable (JSONValue) async throws -> JSONValue) {
        self.init(response: { response in
            var response = response
            response.body = try await read(try Self.json(response.body)).bytes()
            return response
        })
    }

    private static func json(_ body: [UInt8]) throws -> JSONValue {
        if let error = JSONError(readingFrom: body) { throw error }
        return JSONValue(body) ?? .null
    }

    @concurrent
    func callAsFunction(_ response: APIResponse) async throws(APIError) -> APIResponse {
        do {
            var read = try await read(response)
            read.request = response.request
            return read
        } catch let error as APIError {
            throw error
        } catch let error as JSONError {
            throw .body(error, RequestSummary(response.request))
        } catch {
            throw .unread(error, RequestSummary(response.request))
        }
    }
}
