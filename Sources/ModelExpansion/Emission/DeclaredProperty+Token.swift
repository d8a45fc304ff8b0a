import SwiftSyntax

extension DeclaredProperty {
    /// The call that makes the property's token; the compiler picks the overload by the property's type.
    func token(at index: Int, in className: String) -> String {
        "RestfulData.Declaration<\(className)>.property("
            + tokenArguments(at: index, in: className).joined(separator: ", ") + ")"
    }

    /// Its index, name, type, default and options, as far as they are declared.
    func tokenArguments(at index: Int, in className: String) -> [String] {
        var arguments = ["\(index)", "\"\(name)\""]
        if let annotation { arguments.append(annotation.metatype(inClass: className)) }
        if let value = meaningfulInitialValue { arguments.append("default: \(value.text(inClass: className))") }
        if let options = options(inClass: className) { arguments.append(options) }
        return arguments
    }

    /// The initial value, except a `nil` or an empty relationship, which add nothing to the type.
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
    /// Whether this is `[]`.
    var isEmptyList: Bool { self.as(ArrayExprSyntax.self)?.elements.isEmpty ?? false }
}

extension TypeSyntax {
    /// `Int?.self`; in parentheses if it would be parsed differently without them.
    func metatype(inClass className: String) -> String {
        let text = text(inClass: className)
        switch kind {
        case .someOrAnyType, .compositionType, .functionType, .attributedType: return "(\(text)).self"
        default: return "\(text).self"
        }
    }
}
