import Foundation
public import RestfulData
import XMLCoder

// XML through XMLCoder, in a product of its own, so that programs without XML don't build it.

extension ReplyReader {
    /// Reads replies in XML, as a type of yours, and imports its JSON.
    ///
    /// ```swift
    /// struct Feed: Codable { var entry: [Entry] }
    ///
    /// let entries = try await Entry.fetchAll("/feed.xml", at: "entry", in: context) { $0.reading = .xml(Feed.self) }
    /// ```
    ///
    /// - Parameter type: what the root element is read as by `XMLDecoder`; dates as ISO 8601. It is encoded as JSON by
    ///   its own keys.
    public static func xml<Root: Codable & Sendable>(_ type: Root.Type) -> ReplyReader {
        xml(type) { root in
            let encoder = JSONEncoder()
            encoder.dateEncodingStrategy = .iso8601
            return String(decoding: try encoder.encode(root), as: UTF8.self)
        }
    }

    /// Reads replies in XML, as a type of yours, and imports the JSON that you make of it: one that stands in an
    /// element, say.
    ///
    /// ```swift
    /// struct Wrapper: Decodable { var json: String }
    ///
    /// let users = try await User.fetchAll("/users.xml", in: context) { $0.reading = .xml(Wrapper.self) { $0.json } }
    /// ```
    ///
    /// - Parameters:
    ///   - type: what the root element is read as by `XMLDecoder`; dates as ISO 8601.
    ///   - json: returns the text of the JSON to import. What it throws is ``APIError/unread(_:_:)``, as is a
    ///     `DecodingError` for XML of another form.
    public static func xml<Root: Decodable & Sendable>(
        _ type: Root.Type, json: @escaping @Sendable (Root) throws -> String
    ) -> ReplyReader {
        ReplyReader(response: { response in
            let decoder = XMLDecoder()
            decoder.dateDecodingStrategy = .iso8601
            var response = response
            response.body = Array(try json(try decoder.decode(type, from: Data(response.body))).utf8)
            return response
        })
    }
}

extension RequestBody {
    /// XML, as `XMLEncoder` writes it; dates as ISO 8601.
    ///
    /// - Parameters:
    ///   - value: the root element.
    ///   - name: the root element's name.
    /// - Throws: ``APIError/unencodable(_:)`` for a value that can't be XML.
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
