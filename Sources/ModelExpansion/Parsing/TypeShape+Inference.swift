import SwiftSyntax
import SwiftSyntaxBuilder

extension TypeShape {
    /// As far as the text shows it.
    init?(inferredFrom value: ExprSyntax) {
        if value.is(StringLiteralExprSyntax.self) {
            self = .value("String")
        } else if value.is(BooleanLiteralExprSyntax.self) {
            self = .value("Bool")
        } else if let number = Self.number(value) {
            self = .value(number)
        } else if let call = value.as(FunctionCallExprSyntax.self), let type = Self.type(called: call.calledExpression)
        {
            self = type
        } else {
            return nil
        }
    }

    private static func number(_ value: ExprSyntax) -> String? {
        let unsigned = value.as(PrefixOperatorExprSyntax.self)?.expression ?? value
        if unsigned.is(IntegerLiteralExprSyntax.self) { return "Int" }
        return unsigned.is(FloatLiteralExprSyntax.self) ? "Double" : nil
    }

    /// In `[Label]()`, `[String: Int]()` or `UUID()`.
    private static func type(called: ExprSyntax) -> TypeShape? {
        if let array = called.as(ArrayExprSyntax.self), let element = array.elements.only {
            return type(named: element.expression).map { .array($0) }
        }
        if called.is(DictionaryExprSyntax.self) { return .dictionary }
        if case .value(let name) = type(named: called) { return .value(name) }
        return nil
    }

    private static func type(named expression: ExprSyntax) -> TypeShape? {
        guard expression.is(DeclReferenceExprSyntax.self) || expression.is(MemberAccessExprSyntax.self) else {
            return nil
        }
        return TypeShape(TypeSyntax("\(raw: expression.trimmedDescription)"))
    }
}
