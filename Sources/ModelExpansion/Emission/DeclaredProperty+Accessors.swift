import SwiftSyntax
import SwiftSyntaxBuilder

extension DeclaredProperty {
    /// What the stored property becomes: a view of the object's row.
    ///
    /// - Parameter isOwn: whether the class inherits others.
    func accessors(isOwn: Bool) -> [AccessorDeclSyntax] {
        if isOwn { return ownAccessors }
        return readAndSet + (mayBeList ? [edit] : [])
    }

    private var readAndSet: [AccessorDeclSyntax] {
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

    /// What is changed in place is not said to be all of a list: `labels.append(bug)`.
    private var edit: AccessorDeclSyntax {
        """
        _modify {
            var members = _object.value(of: Self.properties.\(raw: spelling))
            defer {
                _object.edit(Self.properties.\(raw: spelling), to: members)
            }
            yield &members
        }
        """
    }

    private var ownAccessors: [AccessorDeclSyntax] { readAndSetOwn + (mayBeList ? [editOwn] : []) }

    private var readAndSetOwn: [AccessorDeclSyntax] {
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

    private var editOwn: AccessorDeclSyntax {
        """
        _modify {
            var members = _object.value(ofOwn: Self.ownProperties.\(raw: spelling))
            defer {
                _object.edit(own: Self.ownProperties.\(raw: spelling), to: members)
            }
            yield &members
        }
        """
    }

    /// Whether the property is a to-many relationship, as far as its declaration shows.
    private var mayBeList: Bool {
        guard mayBeRelationship, case .array = shape else { return false }
        return true
    }
}
