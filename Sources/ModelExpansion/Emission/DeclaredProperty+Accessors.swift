import SwiftSyntax
import SwiftSyntaxBuilder

extension DeclaredProperty {
    /// What the stored property becomes: a view of the object's row.
    ///
    /// - Parameter isOwn: whether the class inherits others.
    func accessors(isOwn: Bool) -> [AccessorDeclSyntax] {
        if isOwn { return ownAccessors }
        return [
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

    private var ownAccessors: [AccessorDeclSyntax] {
        [
            """
            get {
                _object.value(ofOwn: Self.ownProperties.\(raw: spelling))
            }
            """,
            """
            set {
                _object.set(own: Self.ownProperties.\(raw: spelling), to: newValue)
            }
            """,
        ]
    }
}
