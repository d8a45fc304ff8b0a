import Foundation
public import RestfulData
import XMLCoder

// XML support is a product of its own, so that only programs that use it build XMLCoder.

extension ReplyReader {
    /// Reads XML replies as a type of your own, and imports that type's JSON.
    ///
    /// ```swift
    /// struct Feed: Codable { var entry: [Entry] }
    ///
    /// let entries = try await Entry.fetchAll("/feed.xml", at: "entry", in: context) { $0.reading = .xml(Feed.self) }
    /// ```
    ///
    /// - Parameter type: The type of the root element. `XMLDecoder` decodes it, with days and dates in ISO 8601;
    ///   `JSONEncoder` encodes it with its coding keys.
    public static func xml<Root: Codable & Sendable>(_ type: Root.Type) -> ReplyReader {
        xml(type) { root in
            let encoder = JSONEncoder()
            encoder.dateEncodingStrategy = .custom { date, encoder in
                let hasFraction = date.timeIntervalSince1970.truncatingRemainder(dividingBy: 1) != 0
                let style = Date.ISO8601FormatStyle(includingFractionalSeconds: hasFraction)
                var container = encoder.singleValueContainer()
                try container.encode(style.format(date))
            }
            return String(decoding: try encoder.encode(root), as: UTF8.self)
        }
    }

    /// Reads XML replies as a type of your own, and imports the JSON that you make from it.
    ///
    /// ```swift
    /// struct Wrapper: Decodable { var json: String }
    ///
    /// let users = try await User.fetchAll("/users.xml", in: context) { $0.reading = .xml(Wrapper.self) { $0.json } }
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type of the root element. `XMLDecoder` decodes it, with days and dates in ISO 8601.
    ///   - json: Returns the JSON text to import. Errors that it throws become ``APIError/unread(_:_:)``, and so does
    ///     the `DecodingError` for XML of another form.
    public static func xml<Root: Decodable & Sendable>(
        _ type: Root.Type, json: @escaping @Sendable (Root) throws -> String
    ) -> ReplyReader {
        ReplyReader(response: { response in
            let decoder = XMLDecoder()
            decoder.dateDecodingStrategy = .custom { decoder in try API.date(from: decoder) }
            var response = response
            response.body = Array(try json(try decoder.decode(type, from: Data(response.body))).utf8)
            return response
        })
    }
}

extension RequestBody {
    /// An XML body, encoded by `XMLEncoder`, with dates in ISO 8601.
    ///
    /// - Throws: ``APIError/unencodable(_:)`` if encoding the value fails.
    public static func xml(_ value: some Encodable, root name: String) throws(APIError) -> RequestBody {
        let encoder = XMLEncoder()
        encoder.dateEncodingStrategy = .iso8601
        do {
            let data = try encoder.encode(value, withRootKey: name, header: XMLHeader(version: 1.0, encoding: "UTF-8"))
            return .data(data, type: "application/xml")
        } catch {
            throw .unencodable("\(error)")
        }
    }
}
