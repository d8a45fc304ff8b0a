package import JSONBytes

/// Signs of whether a list in JSON is complete: totals, flags and links in common spellings, whatever the API's
/// conventions. They count for nested lists, too. A list is the whole membership only if no sign indicates more.
package struct PageSigns: Sendable, Hashable, Codable {
    package private(set) var hasNext = false
    /// According to a number, a flag, or the URL of a page requested by a cursor.
    package private(set) var hasPrevious = false
    /// A link back, which proves no previous page: the first page may lead to future objects.
    package private(set) var leadsBack = false
    package private(set) var isEnd = false
    private var total: Int?
    /// Some services use `count` for the members of the page.
    private var count: Int?
    private var pageCount: Int?
    private var limit: Int?
    /// Whether pages continue until one is empty, by the API's conventions.
    package var endsEmpty = false

    package init() {}

    /// `leadsBack` is left out: a stored response has its meaning in `hasPrevious`.
    private enum CodingKeys: CodingKey {
        case hasNext, hasPrevious, isEnd, total, count, pageCount, limit, endsEmpty
    }

    package enum Key: UInt8, Sendable {
        /// Leads to another page, unless it is null, empty or 0.
        case next, previous
        /// Leads to the next page, or has such keys.
        case cursor
        /// Whether there is more after this page, or before it.
        case more, moreBefore
        /// Whether this is the last page, or the first.
        case last, first
        case total, count, pages, page, offset, limit
        /// Cursors. Within ``cursors`` they are only the page's position.
        case after, before
        /// The number of following members.
        case remaining
        /// Objects with such keys.
        case container, cursors
        /// Totals, perhaps of something else.
        case statistics
    }
}

// MARK: Verdict

extension PageSigns {
    /// The part of a list that was read.
    package struct Extent: Sendable {
        package var pages = 0
        package var elements = 0
        package var last = 0
        package var isFromStart = true

        package init() {}

        package init(elements: Int) { add(elements) }

        package mutating func add(_ count: Int) {
            pages += 1
            elements += count
            last = count
        }
    }

    package enum Verdict: Sendable {
        case more, end, unknown
    }

    package func verdict(after extent: Extent) -> Verdict {
        if hasNext { return .more }
        if extent.isFromStart {
            if let total, total > extent.elements { return .more }
            if let count, count > extent.elements { return .more }
            if let pageCount, pageCount > extent.pages { return .more }
        }
        if isEnd { return .end }
        if extent.isFromStart, total != nil || pageCount != nil { return .end }
        return endsEmpty && extent.last == 0 ? .end : .unknown
    }

    /// Whether no sign indicates more members than were read.
    package func areOfWhole(_ extent: Extent) -> Bool {
        guard !hasPrevious || extent.pages > 1 else { return false }
        switch verdict(after: extent) {
        case .more: return false
        case .end: return true
        case .unknown: return !endsEmpty && limit.map { $0 == 0 || extent.last < $0 } ?? true
        }
    }
}

// MARK: Spellings

extension PageSigns {
    /// Case and separators are ignored. `nil` for other keys.
    package static func key(_ name: some StringProtocol) -> Key? {
        name.utf8.count <= 40 ? keys[letters(of: name)] : nil
    }

    /// Keys with a list's name: `comments_count`, `total_comments`, `Orders@odata.nextLink`.
    ///
    /// - Parameter list: the ``letters(of:)`` of the list's own key.
    package static func key(_ name: some StringProtocol, besideListNamed list: String) -> Key? {
        guard name.utf8.count <= 80, !list.isEmpty else { return nil }
        let letters = letters(of: name)
        let singular = list.hasSuffix("s") ? String(list.dropLast()) : list
        for list in [list, singular] {
            let rest =
                letters.hasPrefix(list)
                ? letters.dropFirst(list.count) : letters.hasSuffix(list) ? letters.dropLast(list.count) : ""
            if ["num", "nb", "numberof"].contains(rest) { return .total }
            switch keys[marked(rest)] {
            case .total, .count: return .total
            case .next: return .next
            case .more: return .more
            case .pages: return .pages
            default: continue
            }
        }
        return nil
    }

    /// `hasmore` for `has_more`, `hasMore` and `Has-More`. The prefixes `odata.`, `iot.` and `hydra:` are dropped.
    package static func letters(of name: some StringProtocol) -> String {
        var letters: [UInt8] = []
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): letters.append(byte)
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): letters.append(byte | 0x20)
            default: break
            }
        }
        return marked(String(decoding: letters, as: UTF8.self)[...])
    }

    private static func marked(_ letters: Substring) -> String {
        let vocabulary = ["odata", "hydra", "iot"].first(where: letters.hasPrefix)
        return String(letters.dropFirst(vocabulary?.count ?? 0))
    }

    private static let keys: [String: Key] = {
        let words: [(Key, String)] = [
            (
                .next,
                """
                next nextpage nexturl nexturi nexthref nextlink nextcursor nextcursorstr nexttoken nextpagetoken \
                nextpageurl nextpagelink nextpagestart nextpagecursor nextmarker nextrecordsurl nextoffset nextkey \
                nextrange nextstart continuationtoken continuation mscontinuation continue lastevaluatedkey \
                nextpagenumber nextpageuri nextpagepath nextbatch nextmaxid nextid nextresults nextstartingafter
                """
            ),
            (
                .previous,
                """
                prev previous prevpage previouspage prevurl previousurl prevlink previouslink prevpageurl \
                previouspageurl prevpagetoken previouspagetoken
                """
            ),
            (
                .more,
                """
                more hasmore hasnext hasnextpage hasmorepages hasmoreitems hasmoreresults hasadditionalpages morepages \
                moreresults moreavailable moreitems istruncated truncated incompleteresults partial ispartial
                """
            ),
            (.cursor, "cursor bookmark"), (.after, "after"), (.before, "before"), (.cursors, "cursors"),
            (.moreBefore, "hasprevious hasprev haspreviouspage hasprevpage"),
            (.last, "last islast islastpage lastpage isfinalpage done iscomplete complete isfinished finished"),
            (.first, "first isfirst isfirstpage"),
            (
                .total,
                """
                total totalcount totalitems totalresults totalrecords totalelements totalhits totalsize totalentries \
                totalrows totalobjects numfound numberofitems numtotal totalitemcount totalmatches itemtotal \
                itemstotal resultstotal recordstotal recordsfiltered found matched nummatched numbermatched
                """
            ),
            (.count, "count itemcount itemscount resultcount recordcount collectioncount"), (.remaining, "remaining"),
            (.statistics, "stats statistics"),
            (
                .pages,
                "totalpages pagecount pages numpages numberofpages totalpage totalpagecount pagetotal pagestotal maxpage"
            ),
            (.page, "page currentpage pagenumber pageno startindex"),
            (.offset, "offset skip start startat"),
            (.limit, "limit perpage pagesize pagelen maxresults itemsperpage resultsperpage pagelimit top"),
            (
                .container,
                """
                meta metadata paging pagination paginator pager pageinfo link links resultinfo listinfo \
                responsemetadata searchmetadata navigation info view summary listing
                """
            ),
        ]
        return Dictionary(
            uniqueKeysWithValues: words.flatMap { key, names in
                names.split(separator: " ").map { (String($0), key) }
            })
    }()
}

// MARK: Noting

extension PageSigns {
    package enum Value: Sendable {
        /// null or empty.
        case none
        case flag(Bool)
        case number(Int)
        /// Any other value.
        case something

        package init(_ text: some StringProtocol) {
            switch text {
            case "": self = .none
            case "true", "True": self = .flag(true)
            case "false", "False": self = .flag(false)
            default: self = Int(text).map { .number($0) } ?? .something
            }
        }

        /// False for empty values, `false`, and numbers below 1.
        package var isSomething: Bool {
            switch self {
            case .none, .flag(false), .number(...0): false
            default: true
            }
        }
    }

    /// Takes a key or header field.
    package mutating func note(_ key: Key, _ value: Value) {
        switch (key, value) {
        case (.next, _), (.cursor, _), (.after, _), (.more, .flag), (.more, .number):
            if value.isSomething { hasNext = true } else { isEnd = true }
        case (.previous, _), (.before, _): if value.isSomething { leadsBack = true }
        case (.moreBefore, _): if value.isSomething { hasPrevious = true }
        case (.last, .flag(let isLast)): if isLast { isEnd = true } else { hasNext = true }
        case (.first, .flag(false)): hasPrevious = true
        // A remainder of 0 may concern something else.
        case (.remaining, .number(1...)): hasNext = true
        case (_, .number(..<0)): break
        case (.total, .number(let number)): total = max(total ?? 0, number)
        case (.count, .number(let number)): count = max(count ?? 0, number)
        case (.pages, .number(let number)), (.last, .number(let number)): pageCount = max(pageCount ?? 0, number)
        case (.page, .number(let number)): if number > 1 { hasPrevious = true }
        case (.offset, .number(let number)): if number > 0 { hasPrevious = true }
        case (.limit, .number(let number)): limit = max(limit ?? 0, number)
        default: break
        }
    }

    package mutating func noteNext() { hasNext = true }

    package mutating func notePrevious() { hasPrevious = true }

    package mutating func noteWayBack() { leadsBack = true }

    /// Records the last page, despite other signs.
    package mutating func noteLast() { (hasNext, isEnd) = (false, true) }

    /// Keeps the greater totals: a deletion meanwhile may have moved objects to a page that was already read.
    package mutating func keepTotals(of earlier: PageSigns) {
        total = [total, earlier.total].compactMap(\.self).max()
        count = [count, earlier.count].compactMap(\.self).max()
    }

    /// On all pages. It may be the ambiguous `count`.
    package var totalCount: Int? { total ?? count }

    package var totalPages: Int? { pageCount }

    package mutating func noteEnd() { isEnd = true }
}

// MARK: Reading

extension PageSigns {
    /// - Parameter depth: the levels of nested objects to read.
    package mutating func read(_ key: Key, _ reader: inout JSONReader, depth: Int = 3) throws(JSONError) {
        switch (try reader.peekKind(), key) {
        case (.object, .next), (.object, .previous):
            note(key, try Self.hasSomething(&reader) ? .something : .none)
        case (.object, .container), (.object, .cursors), (.object, .cursor), (.object, .page), (.object, .pages):
            guard depth > 0 else {
                _ = try reader.skipValue()
                return
            }
            try readMembers(&reader, of: key, depth: depth - 1)
        case (.array, .container):
            try readLinks(&reader)
        case (.array, .next): note(key, try Self.hasElement(&reader) ? .something : .none)
        case (.object, .total), (.object, .count): try readTotal(&reader, key)
        case (.object, .statistics): try readStatistics(&reader)
        case (.object, _), (.array, _): _ = try reader.skipValue()
        default: note(key, try Self.scalar(&reader))
        }
    }

    private mutating func readMembers(
        _ reader: inout JSONReader, of container: Key, depth: Int
    ) throws(JSONError) {
        guard try reader.enterObject() else { return }
        repeat {
            let name = reader.string(try reader.readKey())
            // Facebook sends `after` and `before` on each page. Only a `next` outside `cursors` leads on.
            let isPlace = container == .cursors && ["after", "before"].contains(name)
            if !isPlace, let key = Self.key(name) {
                try read(key, &reader, depth: depth)
            } else {
                _ = try reader.skipValue()
            }
        } while try reader.continueObject()
    }

    /// Elasticsearch's total with its accuracy: `{"value": 45, "relation": "eq"}`.
    private mutating func readTotal(_ reader: inout JSONReader, _ key: Key) throws(JSONError) {
        guard try reader.enterObject() else { return }
        repeat {
            let name = reader.string(try reader.readKey())
            let kind = try reader.peekKind()
            if ["value", "total", "count"].contains(name), kind != .object, kind != .array {
                note(key, try Self.scalar(&reader))
            } else {
                _ = try reader.skipValue()
            }
        } while try reader.continueObject()
    }

    /// The total of `{"total": 45, "views": 7}`.
    private mutating func readStatistics(_ reader: inout JSONReader) throws(JSONError) {
        guard try reader.enterObject() else { return }
        repeat {
            let isTotal = Self.key(reader.string(try reader.readKey())) == .total
            let kind = try reader.peekKind()
            if isTotal, kind != .object, kind != .array {
                note(.count, try Self.scalar(&reader))
            } else {
                _ = try reader.skipValue()
            }
        } while try reader.continueObject()
    }

    /// `[{"rel": "next", "href": …}]`, as in FHIR and Atom-like services.
    private mutating func readLinks(_ reader: inout JSONReader) throws(JSONError) {
        guard try reader.enterArray() else { return }
        repeat {
            guard try reader.enterObjectOrSkip() else { continue }
            repeat {
                let name = reader.string(try reader.readKey())
                guard ["rel", "relation"].contains(name), try reader.peekKind() == .string else {
                    _ = try reader.skipValue()
                    continue
                }
                let relation = reader.string(try reader.readScalar())
                if let key = Self.key(relation), key == .next || key == .previous { note(key, .something) }
            } while try reader.continueObject()
        } while try reader.continueArray()
    }

    /// `{"href": null}` leads nowhere.
    private static func hasSomething(_ reader: inout JSONReader) throws(JSONError) -> Bool {
        guard try reader.enterObject() else { return false }
        var isFound = false
        repeat {
            _ = try reader.readKey()
            let kind = try reader.skipValue().kind
            isFound = isFound || kind != .null
        } while try reader.continueObject()
        return isFound
    }

    private static func hasElement(_ reader: inout JSONReader) throws(JSONError) -> Bool {
        guard try reader.enterArray() else { return false }
        var isFound = false
        repeat { isFound = try reader.skipValue().kind != .null || isFound } while try reader.continueArray()
        return isFound
    }

    private static func scalar(_ reader: inout JSONReader) throws(JSONError) -> Value {
        let scalar = try reader.readScalar()
        switch scalar.kind {
        case .null: return .none
        case .true: return .flag(true)
        case .false: return .flag(false)
        default: return Value(reader.string(scalar))
        }
    }
}
