import SwiftSyntax

/// `@Model("/repos/:/issues")`.
enum MalformedRoute: ModelRule {
    static func findings(in model: DeclaredModel) -> [Finding] {
        model.routeLiterals.compactMap { literal in
            do throws(Route.Malformed) {
                _ = try Route(literal)
                return nil
            } catch {
                return Finding(Self.self, at: literal.syntax, "the template can't be read: \(error.reason)")
            }
        }
    }
}

extension DeclaredModel {
    /// The templates whose placeholders name properties of this class.
    var routeLiterals: [StringLiteral] {
        (arguments.baseURL.map { [$0] } ?? []) + arguments.urls + modelled.compactMap(\.markers.route)
    }
}
