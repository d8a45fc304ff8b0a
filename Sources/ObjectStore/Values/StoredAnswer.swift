/// What a server's answer said of itself: what the next question about the same thing may name, how long it is fresh,
/// and which page it was. It is stored with the records that it vouches for, in one transaction.
package struct StoredAnswer: Sendable {
    /// What tells one answer from another.
    package struct Key: Sendable, Hashable {
        /// A digest of what was asked: the URL, and what the answer was taken for.
        package var question: String
        /// A digest of who has asked.
        package var credential: String
        /// A digest of the request's header fields that the answer depends on, by its `Vary`.
        package var variant: String

        package init(question: String, credential: String = "", variant: String = "") {
            (self.question, self.credential, self.variant) = (question, credential, variant)
        }
    }

    package var key: Key
    /// The table of the objects that it was about.
    package var table: TableID
    /// The URL, without what may be secret.
    package var url: String
    /// The names in its `Vary`, lower case, in order, separated by commas.
    package var vary = ""
    /// `ETag`, as it came.
    package var entityTag: String?
    /// `Last-Modified`, as it came.
    package var lastModified: String?
    /// When it came, or was last said to be as it was: seconds since 1970 by the local clock.
    package var checkedAt: Double
    /// How old it was then, in seconds (RFC 9111 §4.2.3).
    package var age = 0
    /// How old it may get, in seconds; `nil` where the server doesn't say.
    package var lifetime: Int?
    /// How much older it may get where the server can't be reached, or fails, in seconds.
    package var staleIfError: Int?
    /// How much older it may get where the server is asked once the answer has been used, in seconds.
    package var staleWhileRevalidate: Int?
    /// Whether it must not be used once it is stale.
    package var mustRevalidate = false
    /// What the layer above keeps with it: which page it was, and what it said of others.
    package var detail: [UInt8] = []

    package init(key: Key, table: TableID, url: String, checkedAt: Double) {
        (self.key, self.table, self.url, self.checkedAt) = (key, table, url, checkedAt)
    }
}

/// An answer that is in the file, of which nobody has looked yet whether it is intact.
package struct UncheckedAnswer: Sendable {
    /// Its number in the file.
    package let id: Int64
    package var answer: StoredAnswer
    /// When it was checked by the file, which may not have the newest word yet.
    let writtenCheck: Double
    /// The note of what has changed that was the last when it was looked at; less than 0 where it vouches for nothing.
    let change: Int64
    /// ``VouchedRows`` as bytes: of most that are read nobody asks for that.
    let vouched: [UInt8]

    init(id: Int64, answer: StoredAnswer, change: Int64, vouched: [UInt8]) {
        (self.id, self.answer, self.change, self.vouched) = (id, answer, change, vouched)
        writtenCheck = answer.checkedAt
    }
}

/// An answer that is in the file.
package struct KeptAnswer: Sendable {
    /// Its number in the file.
    package let id: Int64
    package var answer: StoredAnswer
    /// When it was checked by the file, as that was read.
    let writtenCheck: Double
    /// Whether all that it vouches for is as it said.
    package let isIntact: Bool
    /// What was read of its body.
    package var rows = AnsweredRows()

    package init(_ answer: UncheckedAnswer, isIntact: Bool) {
        (id, self.answer, writtenCheck) = (answer.id, answer.answer, answer.writtenCheck)
        self.isIntact = isIntact
    }

    init(id: Int64, answer: StoredAnswer, isIntact: Bool) {
        (self.id, self.answer, self.isIntact) = (id, answer, isIntact)
        writtenCheck = answer.checkedAt
    }
}

/// What an import has read of an answer's body.
package struct AnsweredRows: Sendable {
    /// The rows of the body's own objects, in their order.
    package var roots: [RowID] = []
    /// How many elements the body's list has.
    package var elementCount = 0
    package var isList = false
    /// How many objects were read, nested ones included.
    package var objectCount = 0

    package init() {}
}

/// All that an answer vouches for: rows by their table, and the owners of lists that were said within objects.
struct VouchedRows: Sendable, Equatable {
    var kinds: [Int64: RowRanges] = [:]

    static func kind(_ table: TableID) -> Int64 { Int64(table.rawValue) }
    /// That of the owners of a list.
    static func kind(_ list: ListID) -> Int64 { -1 - Int64(list.rawValue) }
    /// That of rows which lists have named by their identity: that they are there, and where they lead, and no more.
    static func kind(ofMembersIn table: TableID) -> Int64 { 1 << 24 + Int64(table.rawValue) }

    var coded: [UInt8] {
        var coder = NumberCoder()
        for (kind, rows) in kinds.sorted(by: { $0.key < $1.key }) where !rows.isEmpty {
            coder.append(kind)
            rows.write(to: &coder)
        }
        return coder.bytes
    }

    init() {}

    init?(coded bytes: [UInt8]) {
        var decoder = NumberDecoder(bytes)
        while !decoder.isAtEnd {
            guard let kind = decoder.next(), let rows = RowRanges(from: &decoder) else { return nil }
            kinds[kind] = rows
        }
    }
}
