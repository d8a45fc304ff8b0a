/// The expected values, derived from the requested edits alone: it is independent of the library.
///
/// For each fact it keeps the edits with their contexts, and which of them may be the last one: an edit is superseded
/// by the context's next one, and by another context's that was made after this one was surely in the file. An edit
/// that may be the last must reach the server eventually. Facts without edits have the server's value.
struct Oracle {
    struct Edit {
        let context: Int
        let value: Int?
        let time: Int
        /// When it was surely in the file.
        var saved: Int?
        /// The owner that lost the thing from its list: the thing may be in any other list now, if another client has
        /// put it there.
        var leaving: Int?
        /// The fact's value in that context before the first of its unsaved edits.
        var former: Int??
        /// Whether a request sends it to the server, rather than an edit.
        var isTold = false
        /// Whether it may have been undone.
        var isUncertain = false

        /// Whether it sets the fact back, which takes the edits before it back: then anybody else's is the last one.
        var isSetBack: Bool { former == .some(value) }
    }

    private(set) var edits: [Fact: [Edit]] = [:]
    /// Things with a fact that no order of edits explains: they were deleted, or unified with another.
    private(set) var blurred: Set<Name> = []
    /// All edits of each fact, oldest first.
    private(set) var everEdited: [Fact: [Edit]] = [:]
    private(set) var lastEdit: [Int: [Fact: Edit]] = [:]

    /// - Parameter former: the fact's former value.
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
            // A thing removed from one list is in another one, to which a request has added it meanwhile.
            return leaving == nil || !other.isTold || other.saved != nil || other.value == leaving
        }
        edits[fact, default: []].append(edit)
        everEdited[fact, default: []].append(edit)
        lastEdit[context, default: [:]][fact] = edit.isSetBack ? nil : edit
    }

    /// Things that were created, and those deleted in a context, by that context; neither undone.
    private(set) var made: [Name: Int] = [:]
    private(set) var discarded: [Name: Int] = [:]

    mutating func note(making name: Name, in context: Int) {
        made[name] = context
        unmade.remove(name)
    }

    /// The server has deleted a thing. A context that has fetched it after discarding it keeps it, as it gets no
    /// notice.
    mutating func note(serverDeletionOf name: Name) {
        discarded[name] = nil
        blur(name)
        blurCascade(of: name)
    }

    /// A thing is deleted in a context, together with the objects that it owns.
    mutating func note(discarding name: Name, in context: Int) {
        discarded[name] = context
        blur(name)
        blurCascade(of: name)
    }

    /// Owners that were deleted: things given to one of them are deleted with it, whenever that is noticed.
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

    /// A request that sends a fact to the server has ended.
    ///
    /// - Parameter end: when; `nil` if it failed, so that the time is unknown.
    mutating func noteSent(_ fact: Fact, in context: Int, at time: Int, endedAt end: Int?) {
        edits[fact] = edits[fact]?.map { edit in
            guard edit.context == context, edit.time == time else { return edit }
            var edit = edit
            if let end { edit.saved = end } else { edit.isUncertain = true }
            return edit
        }
        if end == nil, lastEdit[context]?[fact]?.time == time { lastEdit[context]?[fact] = nil }
    }

    /// Things whose creation was undone: they only exist if a request that contained them creates them.
    private(set) var unmade: Set<Name> = []

    /// A request about a thing has ended. If it has failed, a thing undone meanwhile may be gone, with its edits since
    /// then.
    mutating func ended(about name: Name, hasFailed: Bool) {
        guard unmade.contains(name) else { return }
        if hasFailed { blur(name) } else { unmade.remove(name) }
    }

    /// The context's unsaved edits may be gone.
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

    /// The possible last edits of the fact; nil if there may be none.
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
