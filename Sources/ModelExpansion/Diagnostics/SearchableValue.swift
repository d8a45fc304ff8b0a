import SwiftSyntax

/// `@Attribute(searchable: true) var size = 0`: only text is searchable. The store checks custom types, whose stored
/// form is unknown here.
enum SearchableValue: PropertyRule {
    static func findings(in property: DeclaredProperty) -> [Finding] {
        guard let argument = property.markers.attribute?.argumentList?.first(where: { $0.label?.text == "searchable" }),
            argument.expression.trimmedDescription == "true", let shape = property.shape, !shape.mayBeText
        else { return [] }
        let type = property.annotation.map { "'\($0.trimmedDescription)'" } ?? "what it holds"
        return [
            Finding(
                Self.self, at: argument,
                "only text is searchable, and \(type) is none; declare '\(property.name)' 'String' or 'String?', or leave "
                    + "out 'searchable:'")
        ]
    }
}

extension TypeShape {
    fileprivate var mayBeText: Bool {
        switch self {
        case .value(let name): name == "String"
        case .named: true
        case .optional(let inner), .implicitlyUnwrapped(let inner): inner.mayBeText
        case .array, .dictionary, .set, .other: false
        }
    }
}
