import SwiftSyntax

/// A literal without interpolations and escapes, whose text is its value.
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
