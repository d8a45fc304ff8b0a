import Foundation
public import JSONBytes
import ObjectStore
public import RESTTransport

extension RequestBody {
    /// JSON that `JSONEncoder` writes, with dates as ISO 8601.
    ///
    /// - Throws: ``APIError/unencodable(_:)`` for a value that can't be JSON.
    public static func json(_ value: some Encodable) throws(APIError) -> RequestBody {
        .bytes(try APIClient.json(value), type: "application/json")
    }

    /// JSON: `.json(["squash": true])`.
    ///
    /// - Throws: ``APIError/unencodable(_:)`` for a number that JSON can't express, or more than 500 levels.
    public static func json(_ value: JSONValue) throws(APIError) -> RequestBody {
        .bytes(try value.bytes(), type: "application/json")
    }

    /// A form: `application/x-www-form-urlencoded`.
    ///
    /// ```swift
    /// body: .form(["card": ["number": 42], "tags": ["a", "b"]])       // card[number]=42&tags[]=a&tags[]=b
    /// ```
    ///
    /// - Parameters:
    ///   - fields: an object, sent in the order of its names. null and an empty list are empty values.
    ///   - lists: the notation of lists.
    /// - Throws: ``APIError/unencodable(_:)`` for values that a server would misread, such as an empty name.
    public static func form(
        _ fields: JSONValue, lists: APIConventions.FormLists = .brackets
    ) throws(APIError) -> RequestBody {
        guard case .object = fields else { throw .unencodable("a form is an object, not \(fields.kindInWords)") }
        do {
            let bytes = try FormBody(try fields.bytes(), lists: lists).bytes
            return .bytes(bytes, type: "application/x-www-form-urlencoded")
        } catch let error as FormBody.Refusal {
            throw .unencodable("\"\(error.path.joined(separator: "."))\" is \(error.reason)")
        } catch let error as FormBody.Ambiguity {
            throw .unencodable(
                "\"\(error.path.joined(separator: "."))\" would be read as another list, as \"\(error.separator)\" "
                    + "separates its values")
        } catch let error as APIError {
            throw error
        } catch {
            throw .unencodable("\(error)")
        }
    }
}

extension JSONValue {
    func bytes() throws(APIError) -> [UInt8] {
        guard let text else {
            throw .unencodable("it has a number that JSON doesn't have, or more than 500 levels")
        }
        return Array(text.utf8)
    }

    fileprivate var kindInWords: String {
        switch self {
        case .null: "null"
        case .bool: "a Bool"
        case .number: "a number"
        case .string: "a text"
        case .array: "a list"
        case .object: "an object"
        }
    }
}
