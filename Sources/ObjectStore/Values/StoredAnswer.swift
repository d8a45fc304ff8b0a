/// The metadata of a response, stored in one transaction with its records.
package struct StoredAnswer: Sendable {
    package struct Key: Sendable, Hashable {
        /// A digest of the URL and the purpose of the response.
        package var question: String
        /// A digest of the credentials.
        package var credential: String
        /// A digest of the header fields of the request that `Vary` names.
        package var variant: String

        package init(question: String, credential: String = "", variant: String = "") {
            (self.question, self.credential, self.variant) = (question, credential, variant)
        }
    }

    package var key: Key
    package var table: TableID
    /// The URL without secrets.
    package var url: String
    /// Field names in lower case, sorted, separated by commas.
    package var vary = ""
    /// `ETag` as received.
    package var entityTag: String?
    /// `Last-Modified` as received.
    package var lastModified: String?
    /// When it arrived or was last revalidated: seconds since 1970 by the local clock.
    package var checkedAt: Double
    /// The age at that time, in seconds (RFC 9111 §4.2.3).
    package var age = 0
    /// The lifetime in seconds; `nil` if the server leaves it open.
    package var lifetime: Int?
    /// How much longer it may be used if the server fails or is unreachable, in seconds.
    package var staleIfError: Int?
    /// How much longer it may be used during its revalidation, in seconds.
    package var staleWhileRevalidate: Int?
    /// Whether it is unusable once it is stale.
    package var mustRevalidate = false
    /// The networking module's data: the page, and signs of other pages.
    package var detail: [UInt8] = []

    package init(key: Key, table: TableID, url: String, checkedAt: Double) {
        (self.key, self.table, self.url, self.checkedAt) = (key, table, url, checkedAt)
    }
}

/// A response to check for changed rows.
package struct UncheckedAnswer: Sendable {
    package let id: Int64
    package var answer: StoredAnswer
    /// The last check according to the file. Memory may have a later one.
    let writtenCheck: Double
    /// The last change note when it was stored or revalidated. -1 if the response counts as changed.
    let change: Int64
    /// The encoded ``CoveredRows``.
    let covered: [UInt8]

    init(id: Int64, answer: StoredAnswer, change: Int64, covered: [UInt8]) {
        (self.id, self.answer, self.change, self.covered) = (id, answer, change, covered)
        writtenCheck = answer.checkedAt
    }
}

package struct KeptAnswer: Sendable {
    package let id: Int64
    package var answer: StoredAnswer
    /// The last check according to the file.
    let writtenCheck: Double
    /// Whether all rows of the response are unchanged.
    package let isIntact: Bool
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

/// The rows of a body.
package struct AnsweredRows: Sendable {
    /// The body's own objects, in order.
    package var roots: [RowID] = []
    package var elementCount = 0
    package var isList = false
    /// Nested objects included.
    package var objectCount = 0

    package init() {}
}

/// The rows of a response by table, and the owners of nested lists by list. The response is valid as long as these are
/// unchanged.
struct CoveredRows: Sendable, Equatable {
    var kinds: [Int64: RowRanges] = [:]

    static func kind(_ table: TableID) -> Int64 { Int64(table.rawValue) }
    static func kind(_ list: ListID) -> Int64 { -1 - Int64(list.rawValue) }
    /// Rows that lists only name by identity: their existence and links are covered.
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
