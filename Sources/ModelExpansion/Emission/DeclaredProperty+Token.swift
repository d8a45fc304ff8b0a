import SwiftSyntax

extension DeclaredProperty {
    /// The compiler selects the overload of `property` by the type. Types of Swift have their own function.
    func token(at index: Int, in className: String) -> String {
        let type = SwiftType(of: self)
        let function = type?.function ?? "property"
        let inferred = type.flatMap { $0.isInferred ? "Swift.\($0.name).self" : nil }
        return "RestfulData.Declaration<\(className)>.\(function)("
            + tokenArguments(at: index, in: className, inferred: inferred).joined(separator: ", ") + ")"
    }

    func tokenArguments(at index: Int, in className: String, inferred: String? = nil) -> [String] {
        var arguments = ["\(index)", name.emittedLiteral]
        if let type = annotation?.metatype(inClass: className) ?? inferred { arguments.append(type) }
        if let value = meaningfulInitialValue { arguments.append("default: \(value.text(inClass: className))") }
        if let options = options(inClass: className) { arguments.append(options) }
        return arguments
    }

    /// The type already implies a `nil` and an empty relationship.
    private var meaningfulInitialValue: ExprSyntax? {
        guard let initialValue else { return nil }
        if initialValue.is(NilLiteralExprSyntax.self), shape?.isOptional ?? false { return nil }
        if markers.relationship != nil, annotation != nil, initialValue.isEmptyList { return nil }
        return initialValue
    }

    private func options(inClass className: String) -> String? {
        if let attribute = markers.attribute {
            return "RestfulData.AttributeOptions(\(attribute.argumentList?.text(inClass: className) ?? ""))"
        }
        if let relationship = markers.relationship {
            return "RestfulData.RelationshipOptions(\(relationship.argumentList?.text(inClass: className) ?? ""))"
        }
        return nil
    }
}

extension ExprSyntax {
    var isEmptyList: Bool { self.as(ArrayExprSyntax.self)?.elements.isEmpty ?? false }
}

extension TypeSyntax {
    /// `Int?.self`, in parentheses if the parser needs them.
    func metatype(inClass className: String) -> String {
        let text = text(inClass: className)
        switch kind {
        case .someOrAnyType, .compositionType, .functionType, .attributedType: return "(\(text)).self"
        default: return "\(text).self"
        }
    }
}
