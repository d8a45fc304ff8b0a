import Conventions

/// The result of an import: counts of its rows, and the parts of the body that it left out.
public struct ImportReport: Sendable, Hashable {
    /// The number of new rows, including those of nested objects.
    public internal(set) var inserted = 0
    /// The number of rows with at least one changed value, link or list.
    public internal(set) var updated = 0
    /// The number of rows that already had the body's values.
    public package(set) var unchanged = 0
    /// The number of members that left a list, since the body has the whole list.
    public package(set) var unlinked = 0
    /// The number of objects deleted because the body says so, the list that owns them lost them, or a complete listing
    /// omits them and the call asked for that.
    public package(set) var deleted = 0
    /// The number deleted because the list that owned them lost them.
    package var orphaned = 0
    /// The first ``listLimit`` rejected elements: no objects, without an identity, or by another ``Rejection/Reason``.
    public package(set) var rejected: [Rejection] = []
    /// The number of rejected elements.
    public internal(set) var rejectedCount = 0
    /// The first ``listLimit`` values of the wrong type, which left their property unchanged.
    public internal(set) var mismatched: [Mismatch] = []
    /// The number of values of the wrong type.
    public internal(set) var mismatchedCount = 0
    /// The number of links to identities that the store lacks.
    public internal(set) var pendingLinks = 0

    /// The number of lists with a part of their members in the body, by signs around the list or an unreadable element.
    /// Their stored members all stay.
    public internal(set) var partialLists = 0
    /// The positions of the first ``listLimit`` lists that contain a member more than once.
    ///
    /// The store keeps each member once, at its first position. Until the list arrives free of repetitions, it stays
    /// unsent, and saving an edit of it throws an error.
    public internal(set) var repeatedLists: [String] = []
    /// The number of lists that contain a member more than once.
    public internal(set) var repeatedListCount = 0

    /// Whether a fetched list may have more objects: the fetch reached its limit of pages, or the API's conventions
    /// lack the link to the next page.
    public package(set) var hasMore = false

    /// The number of responses with stored objects, by a 304 or without a request. Their objects count as unchanged.
    public package(set) var keptAnswers = 0

    /// The number of escapes with half a surrogate pair, as of a truncated emoji. Each was replaced by U+FFFD.
    public internal(set) var replacedCharacters = 0

    /// Whether the whole body was imported: no rejected element, mismatched value or replaced character.
    public var isComplete: Bool { rejectedCount == 0 && mismatchedCount == 0 && replacedCharacters == 0 }

    /// Whether to log it: parts were left out, perhaps the positions of a repeated member.
    package var isNotable: Bool { !isComplete || repeatedListCount > 0 }

    package init() {}

    package mutating func noteRepeatedMember(at path: String) {
        repeatedListCount += 1
        if repeatedLists.count < Self.listLimit { repeatedLists.append(path) }
    }

    package mutating func noteKept(_ rows: AnsweredRows) {
        keptAnswers += 1
        unchanged += rows.objectCount
    }

    /// For a body of another kind than requested.
    package init(rejecting rejection: Rejection) {
        rejected = [rejection]
        rejectedCount = 1
    }

    /// The maximum number of descriptions of each kind, to limit the memory for hostile bodies.
    public static let listLimit = 100

    /// A rejected element.
    public struct Rejection: Sendable, Hashable, CustomStringConvertible {
        /// The reason for a rejection.
        public enum Reason: Sendable, Hashable {
            /// It isn't a JSON object; `found` is its kind.
            case notAnObject(found: String)
            /// It is in a list's place, and isn't an object of the model; `found` is its kind.
            case notAList(found: String)
            /// A part of its identity is missing, null or of the wrong type; `missing` is the JSON key.
            case noIdentity(missing: String)
            /// The store has it as another model of the same table, `found`.
            case otherModel(found: String)
            /// Its envelope is missing; `missing` is the JSON key path.
            case noEnvelope(missing: String)
            /// It has two values under the same key (RFC 7493 §2.3); `key` is the key path.
            case contradiction(key: String)
            /// It was requested and has none of its model's properties: `{"error": "…"}`, `{}`.
            case nothingKnown
            /// It is a JSON:API resource of another type; `found` is the `type`.
            case otherType(found: String)
            /// It is in a list that mixes models, none of which is named `found`.
            case unknownType(found: String)
            /// It is in a list that mixes models, and lacks the type at this JSON key path.
            case noType(missing: String)
            /// An unsent local edit gave its identity to another object. Links to the element wait until the edit is
            /// sent or discarded.
            case claimedIdentity
        }

        /// The element's position: `[3].user`.
        public let path: String
        /// The expected model.
        public let model: String
        /// The reason for the rejection.
        public let reason: Reason
        /// If the body lacks the requested objects: the key paths where it has such objects, for `at:`.
        public private(set) var places: [String] = []

        package init(path: String, model: String, reason: Reason) {
            self.path = path
            self.model = model
            self.reason = reason
        }

        package func naming(_ places: [String]) -> Rejection {
            var rejection = self
            rejection.places = places
            return rejection
        }

        /// The rejection in words.
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

    /// A value that was left out because of its type.
    public struct Mismatch: Sendable, Hashable, CustomStringConvertible {
        /// The value's position: `[3].user.site_admin`.
        public let path: String
        /// The expected type, in words.
        public let expected: String
        /// The beginning of the JSON that was found.
        public let found: String

        /// The mismatch in words.
        public var description: String { "\(path): \(found) where \(expected) was expected" }
    }
}

extension ImportReport {
    /// Whether an element was rejected. Elements of other models don't count.
    package var hasUnreadable: Bool {
        rejected.contains { rejection in
            switch rejection.reason {
            case .otherModel, .otherType, .unknownType: false
            default: true
            }
        }
    }

    /// Whether the body's own object has none of the model's properties.
    package var lacksKnownProperties: Bool { rejected.contains { $0.reason == .nothingKnown } }

    package static func + (left: ImportReport, right: ImportReport) -> ImportReport {
        var sum = left
        sum += right
        return sum
    }

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
    /// In words and without values, for logs and errors.
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
    /// The report in words.
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
