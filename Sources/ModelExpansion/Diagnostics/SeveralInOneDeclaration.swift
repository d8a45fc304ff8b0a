import SwiftSyntax

/// `var a = 1, b = 2`: accessors belong to one variable each.
enum SeveralInOneDeclaration: PropertyRule {
    static func findings(in property: DeclaredProperty) -> [Finding] {
        let bindings = property.syntax.bindings
        if bindings.count > 1 {
            let message = "declare each property of a model by itself"
            return [
                Finding(Self.self, at: bindings, message, remedies: [remedy(for: property.syntax)].compactMap(\.self))
            ]
        }
        guard property.name.isEmpty else { return [] }
        return [
            Finding(Self.self, at: property.nameSyntax, "declare each property of a model by itself, not in a pattern")
        ]
    }

    /// As in Swift, `var a, b: Int` gives `a` the type of `b`.
    private static func remedy(for declaration: VariableDeclSyntax) -> Remedy? {
        guard let list = declaration.parent?.parent?.as(MemberBlockItemListSyntax.self),
            let index = list.firstIndex(where: { $0.decl.id == declaration.id })
        else { return nil }
        let indentation = Trivia(pieces: declaration.leadingTrivia.reversed().prefix { $0.isSpaceOrTab }.reversed())
        var separate = separate(declaration).map { MemberBlockItemSyntax(decl: $0) }
        for later in separate.indices.dropFirst() { separate[later].leadingTrivia = .newline + indentation }
        var items = list
        items.replaceSubrange(index..<list.index(after: index), with: separate)
        return Remedy("declare them one by one", replacing: list, with: items)
    }

    private static func separate(_ declaration: VariableDeclSyntax) -> [VariableDeclSyntax] {
        var type: TypeAnnotationSyntax?
        let bindings = declaration.bindings.reversed().map { binding in
            if binding.initializer != nil { type = nil }
            type = binding.typeAnnotation ?? type
            return binding.with(\.typeAnnotation, type?.trimmed).with(\.trailingComma, nil).trimmedPattern
        }
        var separate = bindings.reversed().map { declaration.with(\.bindings, [$0]) }
        separate[separate.count - 1].trailingTrivia = declaration.trailingTrivia
        return separate
    }
}

extension PatternBindingSyntax {
    /// With one space before `=`.
    fileprivate var trimmedPattern: PatternBindingSyntax {
        var binding = with(\.pattern, pattern.trimmed)
        if let initializer {
            binding.initializer = initializer.trimmed.with(\.leadingTrivia, .space)
        }
        return binding
    }
}
