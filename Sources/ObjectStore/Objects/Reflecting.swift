// What debuggers, `dump` and a failed expectation of a test show. These look into whatever they are given, and at any
// reference that they find: the references here that hold nothing must not be copied as if they did.

extension ObjectState: CustomReflectable {
    /// The attributes' values as JSON has them.
    public var customMirror: Mirror {
        let state = current
        let attributes = state.model.properties.lazy.filter { $0.link == nil && $0.list == nil }
        let children = attributes.map { property -> Mirror.Child in
            (property.name, (try? state.wireText(property))?.json ?? "a value that JSON can't express")
        }
        return Mirror(self, children: Array(children))
    }
}

extension ObjectContext: CustomReflectable {
    /// How much is unsaved.
    public var customMirror: Mirror { Mirror(self, children: ["unsavedObjects": unsaved.count]) }
}

extension LooseReference: CustomReflectable {
    @usableFromInline var customMirror: Mirror { Mirror(self, children: []) }
}

extension LooseModel: CustomReflectable {
    var customMirror: Mirror { Mirror(self, children: []) }
}
