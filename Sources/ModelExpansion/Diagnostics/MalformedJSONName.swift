import Conventions
import SwiftSyntax

/// `@Attribute("plan..name")`: a key is empty.
enum MalformedJSONName: ModelRule {
    static func findings(in model: DeclaredModel) -> [Finding] {
        model.modelled.compactMap { property in
            guard let json = property.markers.json else { return nil }
            let declared = DeclaredName(property.name, keyPath: json.value)
            guard ConventionNames.mistakes(in: [declared])?.malformed.isEmpty == false else { return nil }
            let message = "a key in '\(json.value)' is empty; write keys with dots between them, as in 'owner.login'"
            return Finding(Self.self, at: json.syntax, message)
        }
    }
}
