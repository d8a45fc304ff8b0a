import SwiftSyntax

struct PropertyMarkers {
    let attribute: AttributeSyntax?
    let relationship: AttributeSyntax?
    let transient: AttributeSyntax?
    /// In order, including repeated ones.
    let all: [AttributeSyntax]

    init(_ attributes: AttributeListSyntax) {
        attribute = attributes[named: "Attribute"]
        relationship = attributes[named: "Relationship"]
        transient = attributes[named: "Transient"]
        all = attributes.compactMap { $0.as(AttributeSyntax.self) }.filter {
            ["Attribute", "Relationship", "Transient"].contains($0.baseName)
        }
    }

    /// If it is a literal.
    var json: StringLiteral? { jsonArgument.flatMap { StringLiteral($0) } }

    /// Also as another expression. The literal `nil` stands for the convention.
    var hasJSONArgument: Bool { jsonArgument.map { !$0.is(NilLiteralExprSyntax.self) } ?? false }

    private var jsonArgument: ExprSyntax? {
        attribute?.argumentList?.unlabeled ?? relationship?.argumentList?[label: "json"]
    }

    /// If it is a literal.
    var route: StringLiteral? { relationship?.argumentList?.unlabeled.flatMap { StringLiteral($0) } }
}
