import SwiftSyntax

/// What the source declares about one stored property.
struct DeclaredProperty {
    /// Without backticks.
    let name: String
    /// As it is spelled, with any backticks.
    let spelling: String
    let access: AccessLevel?
    /// The type as it is written; `nil` if it is inferred.
    let annotation: TypeSyntax?
    /// What is known about the type, written or inferred; `nil` if nothing is.
    let shape: TypeShape?
    let initialValue: ExprSyntax?
    let markers: PropertyMarkers
    let syntax: VariableDeclSyntax
}

extension DeclaredProperty {
    init(_ syntax: VariableDeclSyntax) {
        let binding = syntax.bindings.first
        let identifier = binding?.pattern.as(IdentifierPatternSyntax.self)?.identifier
        let initialValue = binding?.initializer?.value
        let annotation = binding?.typeAnnotation?.type
        self.init(
            name: identifier?.identifier?.name ?? "", spelling: identifier?.text ?? "",
            access: AccessLevel(syntax.modifiers), annotation: annotation,
            shape: annotation.map { TypeShape($0) } ?? initialValue.flatMap { TypeShape(inferredFrom: $0) },
            initialValue: initialValue, markers: PropertyMarkers(syntax.attributes), syntax: syntax)
    }

    /// The only binding's part that has a type and a value.
    var binding: PatternBindingSyntax? { syntax.bindings.first }

    /// The name's token, or the whole pattern's first one.
    var nameSyntax: Syntax { binding.map { Syntax($0.pattern) } ?? Syntax(syntax) }

    /// Whether this becomes an attribute or a relationship.
    var isModelled: Bool { markers.transient == nil && PropertyRules.findings(in: self).isEmpty }

    /// Whether this may reference models: by its type, unless it is declared an attribute. An optional enum looks the
    /// same.
    var mayBeRelationship: Bool {
        markers.attribute == nil && (shape?.mayReferenceModels ?? false)
    }
}
