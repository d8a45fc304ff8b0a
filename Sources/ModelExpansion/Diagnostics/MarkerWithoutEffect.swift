import SwiftSyntax

/// `@Attribute` on a method, a computed property or outside a model: `@Model` ignores it there.
enum MarkerWithoutEffect {
    static func findings(
        marker: AttributeSyntax, on declaration: some DeclSyntaxProtocol, in surroundings: [Syntax]
    ) -> [Finding] {
        guard let reason = reason(declaration, surroundings) else { return [] }
        let name = marker.baseName
        let remedies = declaration.as(VariableDeclSyntax.self).map { [Remedy.removing(marker, from: $0)] } ?? []
        return [
            Finding(Self.self, at: marker, "'@\(name)' says nothing here, as \(reason); remove it", remedies: remedies)
        ]
    }

    private static func reason(_ declaration: some DeclSyntaxProtocol, _ surroundings: [Syntax]) -> String? {
        guard let variable = declaration.as(VariableDeclSyntax.self) else { return "this is no property" }
        guard variable.isStoredInInstances else { return "the property is computed or static" }
        let group = surroundings.first?.asProtocol((any DeclGroupSyntax).self)
        let makers = ["Model", "ResponseBody"]
        guard makers.allSatisfy({ group?.attributes[named: $0] == nil }) else { return nil }
        return "it is in no '@Model' class"
    }
}
