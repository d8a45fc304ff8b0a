import SwiftSyntax

/// `var login: String`: a reply may leave any attribute out.
enum NeitherOptionalNorDefaulted: PropertyRule {
    static func findings(in property: DeclaredProperty) -> [Finding] {
        guard let binding = property.binding, binding.initializer == nil, let annotation = property.annotation,
            let shape = property.shape, !shape.isOptional, !property.mayBeRelationship
        else { return [] }
        let message =
            "'\(property.name)' is neither optional nor defaulted, and a reply may leave it out; "
            + "make it '\(annotation.optional.trimmedDescription)'"
            + (shape.example.map { ", or add a default such as '= \($0)'" } ?? "")
        let addDefault = shape.example.map { value in
            Remedy("add the default '\(value)'", replacing: binding, with: binding.defaulting(to: value))
        }
        return [
            Finding(
                Self.self, at: property.nameSyntax, message,
                remedies: [.makingOptional(annotation), addDefault].compactMap(\.self))
        ]
    }
}

extension TypeShape {
    /// A neutral value; nil if the type has none.
    fileprivate var example: String? {
        switch self {
        case .value(let name): ValueTypes.defaults[name] ?? nil
        case .array, .set: "[]"
        case .dictionary: "[:]"
        case .named, .optional, .implicitlyUnwrapped, .other: nil
        }
    }
}
