import SwiftSyntax

/// `#if DEBUG @Attribute("trace") #endif var note = ""`: the compiled branch is unknown to a macro.
enum ConditionalMarker: PropertyRule {
    static func findings(in property: DeclaredProperty) -> [Finding] {
        property.syntax.attributes.flatMap(markers).map { marker in
            let message =
                "no macro can see which branch of '#if' is compiled, and so no '@\(marker.baseName)' in one; "
                + "write it outside"
            return Finding(Self.self, at: marker, message)
        }
    }

    private static func markers(_ element: AttributeListSyntax.Element) -> [AttributeSyntax] {
        guard case .ifConfigDecl(let condition) = element else { return [] }
        return condition.clauses.flatMap { clause -> [AttributeSyntax] in
            guard case .attributes(let attributes) = clause.elements else { return [] }
            return PropertyMarkers(attributes).all + attributes.flatMap(markers)
        }
    }
}
