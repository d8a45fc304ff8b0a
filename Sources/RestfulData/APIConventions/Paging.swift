public import ObjectStore

extension APIConventions {
    /// Where a page of a list says what the next one is.
    public typealias Paging = ListPaging

    /// What a reply to the question for a list says that has no list: an object without the key that the list should be
    /// at.
    public enum AbsentLists: Sendable, Hashable {
        /// Nothing: it is an error (``APIError/noObject(model:_:_:)``).
        case refused
        /// That there are no members, as with HAL, which leaves out `_embedded`, and Google, which answers `{}`. Not
        /// where the reply has an `error`, or says that there are members.
        case empty
    }
}
