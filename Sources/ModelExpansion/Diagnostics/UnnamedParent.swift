import SwiftSyntax

/// `@Model final class PushEvent: Event`, where `Event` is a model.
enum UnnamedParent: ModelRule {
    static func findings(in model: DeclaredModel) -> [Finding] {
        guard let parent = model.inheritedTypes.first else { return [] }
        let message =
            "'\(model.name)' inherits from a model; write '@Model(inherits: \(parent).self)', and give '\(parent)' a "
            + "'discriminator:'"
        return [Finding(Self.self, at: model.syntax.name, message)]
    }
}

extension DeclaredModel {
    /// - Parameter protocols: those whose conformance the compiler still requests.
    func isModelByInheritance(missing protocols: [TypeSyntax]) -> Bool {
        protocols.isEmpty && !isSubmodel && !inheritedTypes.isEmpty && !syntax.saysModel
    }
}

extension ClassDeclSyntax {
    /// `final class User: Model`.
    var saysModel: Bool {
        inheritanceClause?.inheritedTypes.contains {
            ["Model", "RestfulData.Model"].contains($0.type.trimmedDescription)
        } ?? false
    }
}
