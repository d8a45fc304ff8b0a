import Conventions
import SwiftSyntax

/// `var identifier: Int?` and `var id: Int?`: both would be read from `id`.
enum DuplicateJSONName: ModelRule {
    static func findings(in model: DeclaredModel) -> [Finding] {
        let declared = model.modelled.filter { $0.jsonName != nil }.map { DeclaredName($0.name, keyPath: $0.jsonName) }
        let collisions = ConventionNames.mistakes(in: declared)?.collisions ?? []
        return collisions.flatMap { collision in
            let properties = collision.properties.compactMap { claim in
                model.modelled.first { $0.name == claim.swiftName }
            }
            return properties.dropFirst().map { finding($0, first: properties[0], json: collision.keyPath) }
        }
    }

    private static func finding(_ second: DeclaredProperty, first: DeclaredProperty, json: String) -> Finding {
        let marker = "@Attribute(\"<#JSON name#>\")"
        let remedies =
            second.markers.all.isEmpty && !second.mayBeRelationship ? [Remedy.marking(marker, second.syntax)] : []
        return Finding(
            DuplicateJSONName.self, at: second.nameSyntax,
            "'\(second.name)' and '\(first.name)' would both be '\(json)' in JSON; give one of them another name "
                + "with '@Attribute(\"…\")'",
            notes: [(Syntax(first.nameSyntax), "'\(first.name)' is '\(json)' in JSON")], remedies: remedies)
    }
}
