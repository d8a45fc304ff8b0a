/// An object as the server last spoke of it: what was edited here, saved or not, and is not confirmed, is as it was before.
///
/// URLs are made of it, as the server knows the object by what it has said itself. What it has never said is as it is here:
/// the key of an object that was made to be fetched, the parent of one that was found without.
package struct LastSaid {
    package let object: ObjectState
    private let unsent: UnsentChanges

    /// - Complexity: one look into the file for an object that is in it.
    package init(of object: ObjectState) {
        self.object = object.current
        unsent = object.savedUnsent
    }

    /// The value that the server last said, or null; of a link, the target's row.
    private func said(_ property: Property) -> StoredValue {
        guard !object.isInserted else { return .null }
        return unsent.entries[property.name]?.base ?? object.snapshot.value(property.index)
    }

    /// The value that a property has for the server.
    package func value(_ property: Property) -> StoredValue {
        let said = said(property)
        return said.isNull ? object.stored(property.index) : said
    }

    /// The object that a link leads to for the server, also one that is deleted here and not yet there.
    package func linkedObject(_ property: Property) -> (any Model)? {
        guard let link = property.link, let row = said(property).row else { return object.linkedObject(property) }
        return object.context?.linkedObject(in: link.target) { row }
    }

    /// Whether the server has said the object's whole identity.
    var hasIdentity: Bool { !object.model.identity.contains { said(object.model[$0]).isNull } }

    /// Whether a link leads elsewhere here than where the server said that it does.
    package func hasMoved(_ link: Property) -> Bool {
        let said = said(link)
        return !said.isNull && said != object.stored(link.index)
    }
}
