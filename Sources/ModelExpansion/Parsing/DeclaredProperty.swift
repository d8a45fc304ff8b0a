import SwiftSyntax

struct DeclaredProperty {
    let name: String
    /// As written, with any backticks.
    let spelling: String
    let access: AccessLevel?
    /// `nil` if it is inferred.
    let annotation: TypeSyntax?
    /// The known part of the type.
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

    /// A valid property has one.
    var binding: PatternBindingSyntax? { syntax.bindings.first }

    /// Or the pattern's first token.
    var nameSyntax: Syntax { binding.map { Syntax($0.pattern) } ?? Syntax(syntax) }

    var isModelled: Bool { markers.transient == nil && PropertyRules.findings(in: self).isEmpty }

    /// By its type, unless it is declared an attribute. Optional enums look like models.
    var mayBeRelationship: Bool {
        markers.attribute == nil && (shape?.mayReferenceModels ?? false)
    }
}
