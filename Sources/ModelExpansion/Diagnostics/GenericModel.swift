import SwiftSyntax

/// `@Model class Page<Item>`: a table has one name and one set of columns.
enum GenericModel: ModelRule {
    static func findings(in model: DeclaredModel) -> [Finding] {
        guard let parameters = model.syntax.genericParameterClause else { return [] }
        let message =
            "a model can't be generic, as it has one table; declare a class for each type that it is used with"
        return [Finding(Self.self, at: parameters, message)]
    }
}
