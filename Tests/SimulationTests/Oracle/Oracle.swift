/// What must hold, from what was asked for alone: it knows nothing of how the library does it.
///
/// For each fact it keeps who set it to what, and which of those edits may be the last one: an edit is followed by the
/// context's next one, and by another context's that was made after this one was surely in the file. An edit that may
/// be the last must reach the server, in its time; what nobody edited is the server's.
struct Oracle {
    struct Edit {
        let context: Int
        let value: Int?
        let time: Int
        /// When it was surely in the file.
        var saved: Int?
        /// The owner whose list the thing was taken out of: it is anywhere else now, if somebody else has put it there.
        var leaving: Int?
        /// What the fact was in that context before the first of its edits that are not saved.
        var former: Int??
        /// Whether a request tells the server of it, rather than an edit.
        var isTold = false
        /// Whether it may have been taken back.
        var isUncertain = false

        /// Whether it sets the fact back, which takes the edits before it back: then anybody else's is the last one.
        var isSetBack: Bool { former == .some(value) }
    }

    private(set) var edits: [Fact: [Edit]] = [:]
    /// Things of which something is true that no order of edits says: they were deleted, or turned out to be another.
    private(set) var blurred: Set<Name> = []
    /// All edits of each fact, oldest first.
    private(set) var everEdited: [Fact: [Edit]] = [:]
    private(set) var lastEdit: [Int: [Fact: Edit]] = [:]

    /// - Parameter former: what the fact was before.
    mutating func note(
        _ fact: Fact, _ value: Int?, from former: Int??, in context: Int, at time: Int, leaving: Int? = nil,
        isTold: Bool = false
    ) {
        let earlier = edits[fact]?.last { $0.context == context && $0.saved == nil }
        var edit = Edit(
            context: context, value: value, time: time, leaving: leaving, former: earlier.map(\.former) ?? former)
        edit.isUncertain = edit.isSetBack
        edit.isTold = isTold
        edits[fact, default: []].removeAll { other in
            guard other.context == context else { return other.saved != nil && leaving == nil }
            // What leaves one list is in another one, which a request has put it into meanwhile.
            return leaving == nil || !other.isTold || other.saved != nil || other.value == leaving
        }
        edits[fact, default: []].append(edit)
        everEdited[fact, default: []].append(edit)
        lastEdit[context, default: [:]][fact] = edit.isSetBack ? nil : edit
    }

    /// Things that were made, and those deleted in a context, by that context; neither taken back.
    private(set) var made: [Name: Int] = [:]
    private(set) var discarded: [Name: Int] = [:]

    mutating func note(making name: Name, in context: Int) {
        made[name] = context
        unmade.remove(name)
    }

    /// The server has deleted a thing. Who has fetched it after discarding it keeps it, as nobody is told.
    mutating func note(serverDeletionOf name: Name) {
        discarded[name] = nil
        blur(name)
        blurCascade(of: name)
    }

    /// A thing is deleted in a context, and what its owner takes with it.
    mutating func note(discarding name: Name, in context: Int) {
        discarded[name] = context
        blur(name)
        blurCascade(of: name)
    }

    /// Owners that were deleted: what is given to one of them goes with it, whenever that comes to be known.
    private var deletedOwners: Set<Name> = []

    /// The badges that an owner has, or was given meanwhile, go with it.
    mutating func blurCascades() {
        for owner in deletedOwners { blurCascade(of: owner) }
    }

    /// The tags of owners that were set to have no badge, whichever they have by the time that this is saved.
    private(set) var bareOwners: Set<Int> = []

    mutating func note(bareOwner owner: Name) { bareOwners.insert(owner.tag) }

    /// By badge: the owners that the server itself has given it to.
    private var serversOwners: [Name: Set<Name>] = [:]

    mutating func note(serverGiving badge: Name, to owner: Name) { serversOwners[badge, default: []].insert(owner) }

    /// The badges of an owner go with it.
    mutating func blurCascade(of owner: Name) {
        deletedOwners.insert(owner)
        for (badge, owners) in serversOwners where owners.contains(owner) { blur(badge) }
        for (fact, list) in everEdited {
            guard case .link(.badge, let badge) = fact, list.contains(where: { fact.target($0.value) == owner }) else {
                continue
            }
            blur(badge)
        }
    }

    /// Two names of one thing, or a thing that is gone.
    mutating func blur(_ name: Name) { blurred.insert(name) }

    /// A save of the context that began then has succeeded.
    mutating func saved(in context: Int, begunAt time: Int, endedAt end: Int) {
        for (fact, list) in edits {
            edits[fact] = list.map { edit in
                var edit = edit
                if edit.context == context, edit.time < time, edit.saved == nil, !edit.isTold { edit.saved = end }
                return edit
            }
        }
    }

    /// A request that tells the server of a fact has ended.
    ///
    /// - Parameter end: when; `nil` where it failed, so that nobody knows.
    mutating func told(_ fact: Fact, in context: Int, at time: Int, endedAt end: Int?) {
        edits[fact] = edits[fact]?.map { edit in
            guard edit.context == context, edit.time == time else { return edit }
            var edit = edit
            if let end { edit.saved = end } else { edit.isUncertain = true }
            return edit
        }
        if end == nil, lastEdit[context]?[fact]?.time == time { lastEdit[context]?[fact] = nil }
    }

    /// Things whose making was taken back: they are there only where a request that had them gets them there.
    private(set) var unmade: Set<Name> = []

    /// A request about a thing has ended. Where it has failed, one that was taken back meanwhile may be gone, and what
    /// was edited of it since.
    mutating func ended(about name: Name, hasFailed: Bool) {
        guard unmade.contains(name) else { return }
        if hasFailed { blur(name) } else { unmade.remove(name) }
    }

    /// What the context has not saved may be gone.
    mutating func rolledBack(_ context: Int) {
        for (fact, list) in edits {
            edits[fact] = list.map { edit in
                var edit = edit
                if edit.context == context, edit.saved == nil { edit.isUncertain = true }
                return edit
            }
        }
        lastEdit[context] = [:]
        unmade.formUnion(made.filter { $0.value == context }.keys)
        made = made.filter { $0.value != context }
        discarded = discarded.filter { $0.value != context }
    }

    func isBlurred(_ fact: Fact) -> Bool {
        fact.names.contains(where: blurred.contains)
            || (edits[fact] ?? []).contains { fact.target($0.value).map(blurred.contains) ?? false }
    }

    /// What the last edit of the fact may have been; nil when nobody may have edited it.
    func candidates(_ fact: Fact) -> [Int?]? {
        guard let edits = edits[fact], !edits.contains(where: \.isUncertain) else { return nil }
        return edits.isEmpty ? nil : edits.map(\.value)
    }

    /// The context's own edit, if nothing can have taken it over yet.
    func ownEdits(of context: Int, since time: Int) -> [(fact: Fact, edit: Edit)] {
        (lastEdit[context] ?? [:]).filter { $0.value.time > time }.map { (fact: $0.key, edit: $0.value) }
            .sorted { $0.fact.description < $1.fact.description }
    }
}
