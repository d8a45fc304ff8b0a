import Conventions

/// What an import did: how many rows it inserted, updated, found unchanged, and what it could not take.
public struct ImportReport: Sendable, Hashable {
    /// New rows, those of nested objects included.
    public internal(set) var inserted = 0
    /// Rows of which at least one value, link or list changed.
    public internal(set) var updated = 0
    /// Rows that said the same already.
    public package(set) var unchanged = 0
    /// Members that left a list, as the body's list is the whole membership.
    public package(set) var unlinked = 0
    /// Objects that were deleted: a listing that has come whole leaves them out and the call said so, the list that
    /// owns them has lost them, or the body says that they are deleted.
    public package(set) var deleted = 0
    /// Those of them that a list has left out which owns them.
    package var orphaned = 0
    /// Elements that are no objects with an identity. At most ``listLimit`` are described; ``rejectedCount`` counts
    /// all.
    public package(set) var rejected: [Rejection] = []
    /// How many elements were rejected.
    public internal(set) var rejectedCount = 0
    /// Values that are not of their property's type, which kept what it had. Likewise.
    public internal(set) var mismatched: [Mismatch] = []
    /// How many values were left out.
    public internal(set) var mismatchedCount = 0
    /// Links to identities that nothing here has yet.
    public internal(set) var pendingLinks = 0

    /// Lists of which the body has a part only, as something around them says or as an element could not be read: they
    /// were merged into what was here, and unlinked nothing.
    public internal(set) var partialLists = 0
    /// Lists in which a member stands more than once: where each is in the body. At most ``listLimit``;
    /// ``repeatedListCount`` counts all.
    ///
    /// The store keeps each member once, at its first place, so it doesn't have what the server has: such a list is not
    /// sent, and to save an edit of it is an error, until it comes without a repetition.
    public internal(set) var repeatedLists: [String] = []
    /// How many lists have a member more than once.
    public internal(set) var repeatedListCount = 0

    /// Of a list that was fetched, or of one among several: whether there is more of it than what was fetched, or may
    /// be. The pages ended at their limit, or lead on in a way that the API's conventions don't know.
    public package(set) var hasMore = false

    /// Answers of which the server said that what is in the store is as it was (304), or that came from the store
    /// alone: their objects count as unchanged.
    public package(set) var keptAnswers = 0

    /// Escapes that are one half of a surrogate pair, as JavaScript writes for an emoji that was cut: each became
    /// U+FFFD.
    public internal(set) var replacedCharacters = 0

    /// Whether nothing was left out: no rejection, no mismatch, no half character.
    public var isComplete: Bool { rejectedCount == 0 && mismatchedCount == 0 && replacedCharacters == 0 }

    /// Whether it is worth a word where nobody has asked for the report: something was left out, be it the place of a
    /// repeated member.
    package var isNews: Bool { !isComplete || repeatedListCount > 0 }

    /// A report of nothing.
    package init() {}

    /// Adds a list that has a member more than once.
    package mutating func noteRepeatedMember(at path: String) {
        repeatedListCount += 1
        if repeatedLists.count < Self.listLimit { repeatedLists.append(path) }
    }

    /// Adds an answer that is what is in the store.
    package mutating func noteKept(_ rows: AnsweredRows) {
        keptAnswers += 1
        unchanged += rows.objectCount
    }

    /// A report of a body that is not what was asked for.
    package init(rejecting rejection: Rejection) {
        rejected = [rejection]
        rejectedCount = 1
    }

    /// How many rejections and mismatches are described, so that a hostile body can't fill the memory with them.
    public static let listLimit = 100

    /// An element that was not imported.
    public struct Rejection: Sendable, Hashable, CustomStringConvertible {
        /// Why an element was not imported.
        public enum Reason: Sendable, Hashable {
            /// It is not a JSON object; what it is.
            case notAnObject(found: String)
            /// It stands where a list was expected, and is no object of the model; what it is.
            case notAList(found: String)
            /// A part of its identity is missing, null or of the wrong type: the JSON key.
            case noIdentity(missing: String)
            /// It is another model of the same table: which. It is in the store as that.
            case otherModel(found: String)
            /// The envelope that it should stand in is missing: the JSON key path.
            case noEnvelope(missing: String)
            /// It has two values for one property, under the same key (RFC 7493 §2.3): the key path.
            case contradiction(key: String)
            /// It was asked for, and has nothing of what its model declares: `{"error": "…"}`, `{}`.
            case nothingKnown
            /// It is a resource of JSON:API of a type that the model does not have: the `type`.
            case otherType(found: String)
            /// It is in a list that mixes models, and names none of them: the name.
            case unknownType(found: String)
            /// It is in a list that mixes models, and doesn't say of which it is: the JSON key path.
            case noType(missing: String)
            /// It has the identity that an edit here has given to another object, of which the server was not told:
            /// both can't have it. Links to it wait until that edit is sent, or taken back.
            case claimedIdentity
        }

        /// Where it stands: `[3].user`.
        public let path: String
        /// The model that was expected there.
        public let model: String
        /// Why.
        public let reason: Reason
        /// Of a whole body without what was asked for: the key paths at which it has such objects instead, one of which
        /// `at:` takes.
        public private(set) var places: [String] = []

        package init(path: String, model: String, reason: Reason) {
            self.path = path
            self.model = model
            self.reason = reason
        }

        /// The same with the key paths at which such objects stand instead.
        package func telling(_ places: [String]) -> Rejection {
            var rejection = self
            rejection.places = places
            return rejection
        }

        /// The same in words.
        public var description: String {
            switch reason {
            case .notAnObject(let found): "\(path): \(found) where \(withArticle(model)) was expected"
            case .notAList(let found): "\(path): \(found) where a list of \(model) was expected"
            case .otherModel(let found): "\(path): \(withArticle(found)) where \(withArticle(model)) was expected"
            case .noIdentity(let missing): "\(path): \(withArticle(model)) without an identity (\"\(missing)\")"
            case .noEnvelope(let missing): "\(path): neither \"\(missing)\" nor anything of \(withArticle(model))"
            case .contradiction(let key): "\(path): two values for \"\(key)\""
            case .nothingKnown: "\(path): an object with nothing of \(withArticle(model))"
            case .otherType(let found):
                "\(path): a resource of type \"\(found)\", which is not \(model)'s; name it with "
                    + "@Model(resourceType:) if it is"
            case .unknownType(let found):
                "\(path): an object of type \"\(found)\", which is none of the list's models; add its model to the list"
            case .noType(let missing): "\(path): an object that doesn't say of which model it is (\"\(missing)\")"
            case .claimedIdentity:
                "\(path): \(withArticle(model)) with the identity that an edit which is not sent has given to another"
            }
        }
    }

    /// A value that was left out.
    public struct Mismatch: Sendable, Hashable, CustomStringConvertible {
        /// Where it stands: `[3].user.site_admin`.
        public let path: String
        /// What would have been taken.
        public let expected: String
        /// The beginning of the JSON that was found.
        public let found: String

        /// The same in words.
        public var description: String { "\(path): \(found) where \(expected) was expected" }
    }
}

extension ImportReport {
    /// Whether something was rejected that could not be understood, rather than as it is of another model.
    package var hasUnreadable: Bool {
        rejected.contains { rejection in
            switch rejection.reason {
            case .otherModel, .otherType, .unknownType: false
            default: true
            }
        }
    }

    /// Whether the body's own object is none of the model that was asked for, as nothing of it says so.
    package var isOfNoAnswer: Bool { rejected.contains { $0.reason == .nothingKnown } }

    /// Adds what another import did, of a further page say.
    package static func + (left: ImportReport, right: ImportReport) -> ImportReport {
        var sum = left
        sum += right
        return sum
    }

    /// Adds what another import did, of a further page say.
    package static func += (sum: inout ImportReport, other: ImportReport) {
        sum.inserted += other.inserted
        sum.updated += other.updated
        sum.unchanged += other.unchanged
        sum.unlinked += other.unlinked
        sum.deleted += other.deleted
        sum.orphaned += other.orphaned
        sum.rejected += other.rejected.prefix(listLimit - sum.rejected.count)
        sum.rejectedCount += other.rejectedCount
        sum.mismatched += other.mismatched.prefix(listLimit - sum.mismatched.count)
        sum.mismatchedCount += other.mismatchedCount
        sum.pendingLinks += other.pendingLinks
        sum.partialLists += other.partialLists
        sum.repeatedLists += other.repeatedLists.prefix(listLimit - sum.repeatedLists.count)
        sum.repeatedListCount += other.repeatedListCount
        sum.replacedCharacters += other.replacedCharacters
        sum.keptAnswers += other.keptAnswers
        sum.hasMore = sum.hasMore || other.hasMore
    }
}

extension ImportReport {
    /// What was left out, in words and without values: for a log, or an error.
    package var summaryOfLeftOut: String {
        var lines = rejected.prefix(Self.summaryLimit).map(\.descriptionWithoutValues)
        lines += mismatched.prefix(Self.summaryLimit).map(\.descriptionWithoutValues)
        lines += repeatedLists.prefix(Self.summaryLimit).map {
            "\($0): the other places of a member that is there twice"
        }
        let more = rejectedCount + mismatchedCount + repeatedListCount - lines.count
        if more > 0 { lines.append("and \(more) more") }
        if replacedCharacters > 0 { lines.append("\(replacedCharacters) half characters replaced") }
        if hasMore { lines.append("the pages after it") }
        return lines.joined(separator: "; ")
    }

    private static let summaryLimit = 5

    /// What kind of JSON a text is.
    fileprivate static func kind(of found: String) -> String {
        switch found.first {
        case "\"": "text"
        case "t", "f": found.hasPrefix("true") || found.hasPrefix("false") ? "a boolean" : found
        case let digit? where digit == "-" || digit.isWholeNumber: "a number"
        default: found
        }
    }
}

extension ImportReport.Mismatch {
    fileprivate var descriptionWithoutValues: String {
        "\(path): \(ImportReport.kind(of: found)) where \(expected) was expected"
    }
}

extension ImportReport.Rejection {
    fileprivate var descriptionWithoutValues: String {
        guard case .notAnObject(let found) = reason else { return description }
        let kind = ImportReport.kind(of: found)
        return ImportReport.Rejection(path: path, model: model, reason: .notAnObject(found: kind)).description
    }
}

extension ImportReport: CustomStringConvertible {
    /// The same in words.
    public var description: String {
        var parts = ["\(inserted) inserted", "\(updated) updated", "\(unchanged) unchanged"]
        if unlinked > 0 { parts.append("\(unlinked) unlinked") }
        if deleted > 0 { parts.append("\(deleted) deleted") }
        if pendingLinks > 0 { parts.append("\(pendingLinks) links pending") }
        if partialLists > 0 { parts.append("\(partialLists) \(partialLists == 1 ? "list" : "lists") in part") }
        if repeatedListCount > 0 {
            let lists = Self.listed(repeatedLists, repeatedListCount)
            parts.append(
                "\(repeatedListCount) \(repeatedListCount == 1 ? "list" : "lists") with a member twice (\(lists))")
        }
        if hasMore { parts.append("there is more") }
        if rejectedCount > 0 { parts.append("\(rejectedCount) rejected (\(Self.listed(rejected, rejectedCount)))") }
        if mismatchedCount > 0 {
            parts.append("\(mismatchedCount) mismatched (\(Self.listed(mismatched, mismatchedCount)))")
        }
        if replacedCharacters > 0 { parts.append("\(replacedCharacters) half characters replaced") }
        return parts.joined(separator: ", ")
    }

    private static func listed(_ items: [some CustomStringConvertible], _ count: Int) -> String {
        items.prefix(3).map(\.description).joined(separator: "; ") + (count > 3 ? "; …" : "")
    }
}
