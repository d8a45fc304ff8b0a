import SwiftSyntax

/// A type that is certain from the source, if custom types have other names than the standard library's.
struct SwiftType {
    /// Within an optional and an array.
    let name: String
    let isArray: Bool
    let isOptional: Bool
    /// Known only from a literal.
    let isInferred: Bool
    /// Whether the initial value is a plain literal, equal each time.
    let isConstant: Bool

    var function: String { isOptional ? "optionalAttribute" : isConstant ? "constantAttribute" : "attribute" }

    private static let names: Set<String> = [
        "Bool", "String", "Double", "Float", "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16",
        "UInt32", "UInt64",
    ]
}

extension SwiftType {
    /// `nil` for other and invisible types.
    init?(of property: DeclaredProperty) {
        guard let shape = property.shape else { return nil }
        isInferred = property.annotation == nil
        guard !isInferred || property.initialValue?.isLiteral ?? false else { return nil }
        let wrapped = if case .optional(let wrapped) = shape { wrapped } else { shape }
        let element = if case .array(let element) = wrapped { element } else { wrapped }
        guard case .value(let name) = element, Self.names.contains(name) else { return nil }
        self.name = name
        isArray = element != wrapped
        isOptional = shape.isOptional
        isConstant = property.initialValue?.isConstant ?? false
    }
}

extension ExprSyntax {
    fileprivate var isConstant: Bool {
        let segments = self.as(StringLiteralExprSyntax.self)?.segments
        return isLiteral && !(segments?.contains { $0.is(ExpressionSegmentSyntax.self) } ?? false)
    }

    /// Whether the literal determines its type. A part of it may be an expression.
    fileprivate var isLiteral: Bool {
        if let signed = self.as(PrefixOperatorExprSyntax.self), signed.operator.text == "-" {
            return signed.expression.is(IntegerLiteralExprSyntax.self)
                || signed.expression.is(FloatLiteralExprSyntax.self)
        }
        return [.stringLiteralExpr, .booleanLiteralExpr, .integerLiteralExpr, .floatLiteralExpr].contains(kind)
    }
}
