@testable import ObjectStore

/// A part of the rules that a test switches off, to show that it is necessary.
enum ModelCondition: String, CaseIterable, Sendable {
    // MARK: Prune

    /// An edit that covers another one stays.
    case pruneCoversEdit
    /// An edit stays while a request with its fact is in flight.
    case pruneWhileOpen
    /// An edit of a fact that is at risk stays.
    case pruneAtRisk

    // MARK: Send

    /// Requests with an edited fact in common wait for each other.
    case oneRequestPerFact
    /// A request that creates, deletes or renames an object, and one that names it, are never in flight together.
    case oneRequestPerObject
    /// A request carries all edits that its sender sees, rather than only the topmost.
    case carryOverruled
    /// A removal is sent only if the server has reported the member, or may have got it from a request.
    case removalOnlyIfKnown
    /// A list is sent only if all of its members are known, or if it was assigned as a whole.
    case wholeOnlyIfKnown
    /// A list of links says "not here" of each other object, even while the creation of that object is in flight.
    case linkListDecidesAll
    /// A member that was deleted locally is sent until the server accepts its deletion.
    case deadMemberStays
    /// A member that waits for its row is sent as a member.
    case waitingMembersGo
    /// An order edit waits while a member is unsendable.
    case orderWaitsForUnsent
    /// Undoing a deletion with an unknown outcome sends no request. A fetch shows whether the object exists.
    case deletionTakenBack

    // MARK: Complete

    /// An accepted request removes only edits that it carried.
    case carryByIdentity
    /// The value in the reply becomes the base.
    case replyIsBase
    /// A fact stays at risk if the server reported another value while the request was in flight.
    case changeWhileOpen
    /// A link that "not here" clears stays at risk if the server reported another value meanwhile.
    case leaveRemembersChange
    /// "Not here" clears a link only if the link led to this owner.
    case leaveOnlyOwner
    /// After "not here", a risk continues.
    case leaveSettlesNothing
    /// A request with an unknown outcome puts its facts at risk.
    case rememberUnknown

    // MARK: Receive

    /// A fetched value is compared with the time of the base's request.
    case stampOfFetch
    /// A fetched value is compared with the last accepted request.
    case stampOfAccepted
    /// A fetched value is compared with the last request that had an unknown outcome.
    case stampOfUnknown
    /// Unedited facts have stamps, too.
    case stampWithoutEdit
    /// All processes see the stamps.
    case stampShared
    /// A restart ends only the requests of its own process.
    case restartOwnProcess

    // MARK: Lists

    /// Pruning spares the memberships of a list that was assigned as a whole.
    case wholeKeepsPairs
    /// The memberships of a list that was assigned as a whole are sent with that list only.
    case wholeBeforeParts
    /// A list that was assigned as a whole loses members that become known later.
    case wholeTurnsIntoPairs
    /// Pruning spares an order edit while a membership of its list is pending.
    case orderWaitsForPairs
    /// An order edit that is saved over another one is saved as it was shown.
    case orderSavedAsShown
    /// Members that were added in two contexts follow each other in the order of saving.
    case additionsInSavedOrder

    // MARK: Objects

    /// The edits of an object go with the object.
    case editsGoWithObject
    /// An answer to a fetch that began before a deletion leaves the object deleted.
    case tombstones
    /// An object survives the lack of its former name after a rename.
    case renameIsNoDeletion
    /// An object has both names while it is renamed.
    case bothNames
    /// When two rows become one object, the edits of both count.
    case remapEdits
}
