import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

extension Remedy {
    /// Puts `marker` before the property.
    static func marking(_ marker: String, _ declaration: VariableDeclSyntax) -> Remedy {
        Remedy("mark it '\(marker)'", replacing: declaration, with: declaration.marked(marker))
    }

    /// Removes `marker`, with the line or space that it took.
    static func removing(_ marker: AttributeSyntax, from declaration: VariableDeclSyntax) -> Remedy {
        var plain = declaration
        plain.attributes = plain.attributes.filter { $0.as(AttributeSyntax.self)?.baseName != marker.baseName }
        plain.leadingTrivia = declaration.leadingTrivia
        return Remedy("remove '@\(marker.baseName)'", replacing: declaration, with: plain)
    }

    /// Puts another text in the literal.
    static func replacing(_ literal: StringLiteral, with text: String, named change: String? = nil) -> Remedy {
        let replacement = StringLiteralExprSyntax(content: text)
            .with(\.leadingTrivia, literal.syntax.leadingTrivia).with(\.trailingTrivia, literal.syntax.trailingTrivia)
        let change = change ?? "'\(literal.value)' with '\(text)'"
        return Remedy("replace \(change)", replacing: literal.syntax, with: replacement)
    }

    /// Removes one of Swift's protocols from what a class conforms to.
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

extension InheritedTypeSyntax {
    /// Whether this is the protocol of Swift's of that name, with its module's name or without.
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

extension TypeSyntax {
    /// `Int?` of `Int`; `(any Shape)?` if a `?` would belong to a part only.
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
    /// With the type `type` and no default, whatever it had before.
    func typed(_ type: String) -> PatternBindingSyntax {
        let annotation = TypeAnnotationSyntax(
            colon: .colonToken(trailingTrivia: .space), type: TypeSyntax("\(raw: type)"))
        return with(\.pattern, pattern.trimmed).with(\.typeAnnotation, annotation).with(\.initializer, nil)
            .with(\.trailingTrivia, trailingTrivia)
    }

    /// With `= value` after the type.
    func defaulting(to value: String) -> PatternBindingSyntax {
        let initializer = InitializerClauseSyntax(
            equal: .equalToken(leadingTrivia: .space, trailingTrivia: .space), value: ExprSyntax("\(raw: value)"))
        return with(\.typeAnnotation, typeAnnotation?.trimmed).with(\.initializer, initializer)
            .with(\.trailingTrivia, trailingTrivia)
    }
}
