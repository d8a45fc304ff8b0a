import SwiftSyntax

/// A plain string literal, whose text is its value. Interpolations and escapes are excluded.
struct StringLiteral {
    let value: String
    let syntax: StringLiteralExprSyntax

    init?(_ expression: ExprSyntax) {
        guard let syntax = expression.as(StringLiteralExprSyntax.self),
            let segment = syntax.segments.only?.as(StringSegmentSyntax.self), !segment.content.text.contains("\\")
        else { return nil }
        value = segment.content.text
        self.syntax = syntax
    }
}
