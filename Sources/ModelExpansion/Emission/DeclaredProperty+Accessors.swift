import SwiftSyntax
import SwiftSyntaxBuilder

extension DeclaredProperty {
    /// What the stored property becomes: a view of the object's row.
    var accessors: [AccessorDeclSyntax] {
        [
            """
            get {
                _object.value(of: Self.properties.\(raw: spelling))
            }
            """,
            """
            set {
                _object.set(Self.properties.\(raw: spelling), to: newValue)
            }
            """,
        ]
    }
}
