import Foundation

/// What a store's models said when its file was last opened. The file keeps it as JSON, so that the next opening can tell
/// exactly what has changed since.
struct SchemaDescription: Codable, Equatable, Sendable {
    /// The version of this JSON; a file with a higher one was made by a newer library.
    static let newestVersion = 1

    var version = Self.newestVersion
    var tables: [DescribedTable]
    /// The statements that make such a file anew.
    var statements: [String]

    /// The JSON, the same for the same models.
    var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Strings, numbers and booleans always encode.
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// `nil` for text that is no such JSON.
    init?(text: String) {
        guard let read = try? JSONDecoder().decode(Self.self, from: Data(text.utf8)) else { return nil }
        self = read
    }

    init(tables: [DescribedTable], statements: [String]) {
        self.tables = tables
        self.statements = statements
    }

    /// The version alone, which a newer library's JSON has too.
    static func version(of text: String) -> Int? {
        struct Versioned: Decodable { let version: Int }
        return (try? JSONDecoder().decode(Versioned.self, from: Data(text.utf8)))?.version
    }
}

/// A model's table.
struct DescribedTable: Codable, Equatable, Sendable {
    var name: String
    /// The class's name.
    var model: String
    /// The columns that name an object at the server.
    var identity: [String]
    var properties: [DescribedProperty]

    func property(named name: String) -> DescribedProperty? { properties.first { $0.name == name } }
}

/// An attribute or a relationship.
struct DescribedProperty: Codable, Equatable, Sendable {
    /// In Swift.
    var name: String
    /// `nil` for a to-many relationship.
    var column: String?
    /// The attribute's kind, with the least and the greatest whole number where it has some; `nil` for a relationship.
    var kind: String?
    var range: [Int64]?
    var isOptional = false
    /// Whether what is absent becomes something else than null.
    var hasDefault = false
    /// The table that a relationship leads to.
    var target: String?
    var list: DescribedList?
}

/// Where a to-many relationship keeps its members: a link and a place in their rows, or rows of a join table.
enum DescribedList: Codable, Equatable, Sendable {
    case column(String, position: String)
    case join(String, isReversed: Bool, isTwoSided: Bool)
}
