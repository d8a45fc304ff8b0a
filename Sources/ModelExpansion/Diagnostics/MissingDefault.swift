import SwiftSyntax

/// `var total: Int` in a response type: a reply may leave it out. An unknown type may be another response type.
enum MissingDefault: PropertyRule {
    static func findings(in property: DeclaredProperty) -> [Finding] {
        guard let shape = property.shape, !shape.mayBeResponse else { return [] }
        return NeitherOptionalNorDefaulted.findings(in: property)
    }
}

extension TypeShape {
    fileprivate var mayBeResponse: Bool {
        switch self {
        case .named, .array(.named), .other: true
        default: false
        }
    }
}
