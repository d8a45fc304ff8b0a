public import ObjectStore

extension APIConventions {
    /// How a page of a list names the next one.
    public typealias Paging = ListPaging

    /// The meaning of an object in reply to a list's GET that lacks the key of the list.
    public enum AbsentLists: Sendable, Hashable {
        /// It is an error (``APIError/noObject(model:_:_:)``).
        case refused
        /// The list is empty, unless the reply has an `error`, or a sign of members. HAL omits `_embedded` of an empty
        /// list, and Google replies `{}`.
        case empty
    }
}
