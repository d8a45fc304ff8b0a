import Conventions
import Foundation
import TestSupport
import Testing

/// The facts of `Fixtures/routes.json`: templates, values, and the resulting URLs.
struct RouteFacts: Decodable, Sendable {
    struct Expansion: Decodable, Sendable {
        let template: String
        let values: [String: Scalar]
        let url: String?
        let error: String?
    }

    struct CRUD: Decodable, Sendable {
        let base: String
        let key: String
        let value: Int
        let with: [String: String]?
        let index: String
        let create: String
        let fetch: String
        let save: String
        let delete: String
    }

    struct Relationship: Decodable, Sendable {
        let about: String
        let destinationBase: String?
        let inverse: String?
        let registered: String?
        let owner: [String: Scalar]
        let fetch: String?
        let add: String?
        let delete: String?
    }

    /// A text, a whole number or null.
    struct Scalar: Decodable, Sendable {
        let value: RouteValue

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                value = .missing
            } else if let number = try? container.decode(Int.self) {
                value = RouteValue(number)
            } else {
                value = RouteValue(try container.decode(String.self))
            }
        }
    }

    let expand: [Expansion]
    let crud: [CRUD]
    let relationship: [Relationship]

    static let all: RouteFacts = {
        let facts = try? JSONDecoder().decode(
            RouteFacts.self, from: Data(contentsOf: ProjectFolder.test("ConventionsTests/Fixtures/routes.json")))
        return facts ?? RouteFacts(expand: [], crud: [], relationship: [])
    }()
}

extension RouteTemplateError {
    /// The failure as the facts name it.
    var kind: String {
        switch self {
        case .malformed: "malformed template"
        case .unknownNames: "unknown attribute; suggests the nearest name"
        case .missingValue: "missing value"
        case .unsafePath: "unsafe path"
        }
    }
}

extension RouteFacts.Expansion: CustomTestStringConvertible {
    var testDescription: String { "\(template) → \(url ?? error ?? "")" }
}

extension RouteFacts.CRUD: CustomTestStringConvertible {
    var testDescription: String { "\(base), \(key)" }
}

extension RouteFacts.Relationship: CustomTestStringConvertible {
    var testDescription: String { about }
}
