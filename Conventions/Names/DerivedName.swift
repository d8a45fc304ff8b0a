/// A name that was made from another one, and the rule that made it.
package struct DerivedName: Hashable, Sendable {
    /// The name.
    package let name: String

    /// Why the name came out as it did, as a phrase for a listing:
    /// `"id" ↔ "identifier" (default convention), words joined with "_"`.
    package let explanation: String

    package init(_ name: String, because explanation: String) {
        self.name = name
        self.explanation = explanation
    }
}
