import SwiftSyntax

/// `@Relationship(deleteRule: .cascade, inverse: \Post.author)`: arguments of SwiftData.
enum SwiftDataRelationship: PropertyRule {
    static func findings(in property: DeclaredProperty) -> [Finding] {
        guard let marker = property.markers.relationship, let arguments = marker.argumentList,
            let first = arguments.first(where: { message($0) != nil }), let message = message(first)
        else { return [] }
        let texts = arguments.enumerated().sorted { left, right in
            (order(left.element), left.offset) < (order(right.element), right.offset)
        }
        .compactMap { text($0.element) }
        let changed =
            texts.isEmpty
            ? property.syntax.dropping(Array(arguments), of: marker)
            : property.syntax.replacing(marker, with: marker.replacingArguments(with: texts))
        let written =
            texts.isEmpty ? "remove '@Relationship'" : "write '@Relationship(\(texts.joined(separator: ", ")))'"
        // Only a key path with a single property can become a name.
        let isClear = arguments.allSatisfy {
            $0.expression.as(KeyPathExprSyntax.self).map { $0.property != nil } ?? true
        }
        return [
            Finding(
                Self.self, at: first, message,
                remedies: isClear ? [Remedy(written, replacing: property.syntax, with: changed)] : [])
        ]
    }

    private static func message(_ argument: LabeledExprSyntax) -> String? {
        switch argument.label?.text {
        case "deleteRule": "'deleteRule:' is SwiftData's; write '\(text(argument) ?? "")'"
        case "originalName": "'originalName:' is SwiftData's; write 'renamedFrom:'"
        case "minimumModelCount", "maximumModelCount", "hashModifier":
            "'\(argument.label?.text ?? ""):' is SwiftData's, and says nothing here; remove it"
        case "inverse":
            argument.expression.as(KeyPathExprSyntax.self).map { path in
                "the inverse is named by a text; write 'inverse: \"\(path.property ?? "…")\"'"
            }
        case nil where argument.expression.implicitMember == "unique":
            "'.unique' is SwiftData's, and says nothing here; remove it"
        default: nil
        }
    }

    /// In this library's form; `nil` to remove the argument.
    private static func text(_ argument: LabeledExprSyntax) -> String? {
        switch argument.label?.text {
        case "deleteRule":
            argument.expression.implicitMember == "noAction"
                ? "onDelete: .nullify" : "onDelete: \(argument.expression.trimmed)"
        case "originalName": "renamedFrom: \(argument.expression.trimmed)"
        case "minimumModelCount", "maximumModelCount", "hashModifier": nil
        case "inverse" where argument.expression.is(KeyPathExprSyntax.self):
            argument.expression.as(KeyPathExprSyntax.self)?.property.map { "inverse: \"\($0)\"" }
        case nil where argument.expression.implicitMember == "unique": nil
        default: argument.text
        }
    }

    private static func order(_ argument: LabeledExprSyntax) -> Int {
        let label = argument.label?.text
        let own = ["deleteRule": "onDelete", "originalName": "renamedFrom"]
        let labels = [
            nil, "json", "sentKey", "inverse", "sentAs", "merges", "owns", "onDelete", "verbs", "adds", "newMembers",
            "removal", "renamedFrom",
        ]
        return labels.firstIndex(of: label.map { own[$0] ?? $0 }) ?? labels.count
    }
}

extension KeyPathExprSyntax {
    /// `author` for `\Post.author`; `nil` for other forms.
    fileprivate var property: String? {
        components.only?.component.as(KeyPathPropertyComponentSyntax.self)?.declName.baseName.text
    }
}
