import SwiftSyntax

/// `willSet` and `didSet`: a merge would bypass them.
enum ObservedProperty: PropertyRule {
    static func findings(in property: DeclaredProperty) -> [Finding] {
        guard let observer = property.syntax.observers.first else { return [] }
        let message =
            "'\(observer.accessorSpecifier.text)' is not called when a reply changes '\(property.name)'; "
            + "observe the context instead, or mark the property '@Transient'"
        return [Finding(Self.self, at: observer, message, remedies: [.marking("@Transient", property.syntax)])]
    }
}
