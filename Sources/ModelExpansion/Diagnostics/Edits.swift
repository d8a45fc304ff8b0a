import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

extension Remedy {
    static func marking(_ marker: String, _ declaration: VariableDeclSyntax) -> Remedy {
        Remedy("mark it '\(marker)'", replacing: declaration, with: declaration.marked(marker))
    }

    static func removing(_ marker: AttributeSyntax, from declaration: VariableDeclSyntax) -> Remedy {
        Remedy("remove '@\(marker.baseName)'", replacing: declaration, with: declaration.unmarked(marker))
    }

    static func replacing(_ literal: StringLiteral, with text: String, named change: String? = nil) -> Remedy {
        let replacement = StringLiteralExprSyntax(content: text)
            .with(\.leadingTrivia, literal.syntax.leadingTrivia).with(\.trailingTrivia, literal.syntax.trailingTrivia)
        let change = change ?? "'\(literal.value)' with '\(text)'"
        return Remedy("replace \(change)", replacing: literal.syntax, with: replacement)
    }

    /// Removes one of Swift's protocols from a class.
    static func removing(
        _ name: String, from clause: InheritanceClauseSyntax, of model: ClassDeclSyntax
    ) -> Remedy {
        var others = clause.inheritedTypes.filter { !$0.isNamed(name) }
        var plain = model
        if let last = others.indices.last {
            others[last] = others[last].with(\.trailingComma, nil)
            plain.inheritanceClause = clause.with(\.inheritedTypes, others).with(
                \.trailingTrivia, clause.trailingTrivia)
        } else {
            plain.inheritanceClause = nil
            plain.name = model.name.with(\.trailingTrivia, clause.trailingTrivia)
        }
        return Remedy("remove '\(name)'", replacing: model, with: plain)
    }

    static func makingOptional(_ type: TypeSyntax) -> Remedy {
        let optional = type.optional
        return Remedy("make it '\(optional.trimmedDescription)'", replacing: type, with: optional)
    }
}

extension AttributeSyntax {
    /// An empty list removes the parentheses.
    func replacingArguments(with arguments: [String]) -> AttributeSyntax {
        let list = arguments.isEmpty ? "" : "(\(arguments.joined(separator: ", ")))"
        let changed: AttributeSyntax = "@\(raw: attributeName.trimmedDescription)\(raw: list)"
        return changed.with(\.leadingTrivia, leadingTrivia).with(\.trailingTrivia, trailingTrivia)
    }
}

extension LabeledExprSyntax {
    var text: String { with(\.trailingComma, nil).trimmedDescription }
}

extension InheritedTypeSyntax {
    /// Plain, or qualified by `Swift`.
    func isNamed(_ name: String) -> Bool {
        let type = type.as(AttributedTypeSyntax.self)?.baseType ?? type
        return [name, "Swift.\(name)"].contains(type.trimmedDescription)
    }
}

extension VariableDeclSyntax {
    func marked(_ marker: String) -> VariableDeclSyntax {
        let attribute: AttributeSyntax = "\(raw: marker)"
        var marked = with(\.leadingTrivia, [])
        marked.attributes.insert(.attribute(attribute.with(\.trailingTrivia, .space)), at: marked.attributes.startIndex)
        return marked.with(\.leadingTrivia, leadingTrivia)
    }
}

extension VariableDeclSyntax {
    func replacing(_ attribute: AttributeSyntax, with other: AttributeSyntax) -> VariableDeclSyntax {
        let attributes = attributes.map { element in
            guard element.as(AttributeSyntax.self)?.baseName == attribute.baseName else { return element }
            return .attribute(
                other.with(\.leadingTrivia, attribute.leadingTrivia).with(\.trailingTrivia, attribute.trailingTrivia))
        }
        return with(\.attributes, AttributeListSyntax(attributes))
    }

    /// Removes the whole marker if these are all of its arguments.
    func dropping(_ arguments: [LabeledExprSyntax], of marker: AttributeSyntax) -> VariableDeclSyntax {
        let rest = marker.argumentList?.filter { argument in !arguments.contains { $0.id == argument.id } } ?? []
        guard rest.isEmpty else { return replacing(marker, with: marker.replacingArguments(with: rest.map(\.text))) }
        return unmarked(marker)
    }

    /// Also removes its line or space.
    func unmarked(_ marker: AttributeSyntax) -> VariableDeclSyntax {
        var plain = self
        plain.attributes = plain.attributes.filter { $0.as(AttributeSyntax.self)?.baseName != marker.baseName }
        plain.leadingTrivia = leadingTrivia
        return plain
    }
}

extension ExprSyntax {
    /// `unique` for `.unique`, `transformable` for `.transformable(by: "x")`; `nil` for other expressions.
    var implicitMember: String? {
        let expression = self.as(FunctionCallExprSyntax.self)?.calledExpression ?? self
        guard let member = expression.as(MemberAccessExprSyntax.self), member.base == nil else { return nil }
        return member.declName.baseName.text
    }
}

extension TypeSyntax {
    /// `Int?` for `Int`; `(any Shape)?` if a `?` would belong to a part only.
    var optional: TypeSyntax {
        let bare = trimmed
        let type: TypeSyntax =
            switch kind {
            case .someOrAnyType, .compositionType, .functionType, .attributedType: "(\(bare))?"
            default: "\(bare)?"
            }
        return type.with(\.leadingTrivia, leadingTrivia).with(\.trailingTrivia, trailingTrivia)
    }
}

extension PatternBindingSyntax {
    func typed(_ type: String) -> PatternBindingSyntax {
        let annotation = TypeAnnotationSyntax(
            colon: .colonToken(trailingTrivia: .space), type: TypeSyntax("\(raw: type)"))
        return with(\.pattern, pattern.trimmed).with(\.typeAnnotation, annotation).with(\.initializer, nil)
            .with(\.trailingTrivia, trailingTrivia)
    }

    func defaulting(to value: String) -> PatternBindingSyntax {
        let initializer = InitializerClauseSyntax(
            equal: .equalToken(leadingTrivia: .space, trailingTrivia: .space), value: ExprSyntax("\(raw: value)"))
        return with(\.typeAnnotation, typeAnnotation?.trimmed).with(\.initializer, initializer)
            .with(\.trailingTrivia, trailingTrivia)
    }
}
