package import HTTPTypes

/// The server's limits in one reply: `Retry-After` and the fields that count requests.
///
/// | fields | reset |
/// |---|---|
/// | `RateLimit: "default";r=50;t=30`, `RateLimit-Policy: "default";q=100;w=60` ([draft 10](https://www.ietf.org/archive/id/draft-ietf-httpapi-ratelimit-headers-10.txt)) | seconds from now |
/// | `RateLimit: limit=100, remaining=50, reset=30` (draft 7) | seconds from now |
/// | `RateLimit-Limit`, `-Remaining`, `-Reset` (drafts to 6) | by size |
/// | `X-RateLimit-Limit`, `-Remaining`, `-Reset`, `-Used`, `-Resource`, or with `X-Rate-Limit-` | by size |
///
/// By size: a number as large as the current time is a time, in seconds or milliseconds since 1970, and is compared
/// with the server's own `Date`. A smaller number is seconds from now. An HTTP date is a time too, and so is an RFC
/// 3339 date, which Mastodon sends. Malformed values are ignored.
package struct LimitStatement: Sendable, Hashable {
    /// The remaining requests of a limit.
    package struct Quota: Sendable, Hashable {
        /// The server's name for the limit: a resource or a policy; empty for an unnamed limit.
        package var name = ""
        package var limit: Int?
        package var remaining: Int?
        /// The time until all requests are available again; at most a year.
        package var reset: Duration?
        package var window: Duration?
        /// Whether it counts requests. Other limits count bytes, or concurrent requests.
        package var countsRequests = true
    }

    /// The limits whose remaining count is known.
    package private(set) var quotas: [Quota] = []
    /// `Retry-After`, at most a year.
    package private(set) var retryAfter: Duration?

    /// The time until the exhausted limits reset.
    package var spentFor: Duration? { quotas.filter { $0.remaining == 0 }.compactMap(\.reset).max() }

    /// The statement of a reply that omits limits.
    package static let nothing = LimitStatement([:], localTime: 0)

    /// - Parameter localTime: Seconds since 1970, for servers that don't send a `Date`.
    package init(_ fields: HTTPFields, localTime: @autoclosure () -> Int) {
        var said = Fields()
        said.take(fields)
        guard said.hasAny else { return }
        // The date is parsed only if a time must be compared with it.
        let date = said.date
        func now() -> Int { date.flatMap { HTTPDate.seconds($0) } ?? localTime() }
        retryAfter = said.retryAfter.flatMap { Self.wait($0, now: now) }
        let policies = said.policies.flatMap { PolicyItem.list($0) } ?? []
        if let limits = said.limits {
            quotas = Self.quotas(limits, policies).filter { $0.remaining != nil }
        } else {
            let quota = Self.quota(said, policies.count == 1 ? policies[0] : nil, now: now)
            if quota.remaining != nil { quotas = [quota] }
        }
    }

    /// Seconds, or a date ([RFC 9110 §10.2.3](https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3)). Shopify sends
    /// seconds with a fraction, `2.0`.
    private static func wait(_ text: String, now: () -> Int) -> Duration? {
        if let seconds = wholeNumber(text) ?? roundedUp(text) { return bounded(seconds) }
        return moment(text).map { bounded($0 - now()) }
    }

    // MARK: The current draft

    private static func quotas(_ limits: String, _ policies: [PolicyItem]) -> [Quota] {
        guard let items = PolicyItem.list(limits) else { return [] }
        if let whole = draft7(items) { return [whole] }
        return items.map { item in
            let policy = policies.first { $0.name == item.name } ?? (policies.count == 1 ? policies[0] : nil)
            var quota = Quota(
                name: item.name, limit: policy?["q"], remaining: item["r"], reset: item["t"].map(bounded),
                window: policy?["w"].map(bounded))
            quota.countsRequests = ["requests", nil].contains(policy?.unit)
            return quota
        }
    }

    /// A dictionary instead of a list: `limit=100, remaining=50, reset=30`.
    private static func draft7(_ items: [PolicyItem]) -> Quota? {
        let values = Dictionary(items.map { ($0.name, $0.value) }) { first, _ in first }
        guard let remaining = values["remaining"] ?? nil else { return nil }
        return Quota(
            limit: values["limit"] ?? nil, remaining: remaining, reset: (values["reset"] ?? nil).map(bounded))
    }

    // MARK: One number a field

    private static func quota(_ said: Fields, _ policy: PolicyItem?, now: () -> Int) -> Quota {
        let limit = said.limit.flatMap { count($0) }
        var quota = Quota(name: said.resource ?? "", limit: limit)
        quota.remaining = said.remaining.flatMap { count($0) }
        if quota.remaining == nil, let limit, let used = said.used.flatMap({ count($0) }) {
            quota.remaining = max(0, limit - used)
        }
        if quota.remaining != nil { quota.reset = said.reset.flatMap { reset($0, now: now) } }
        quota.window = policy?["w"].map(bounded)
        return quota
    }

    /// The time until a reset, which is given from now or since 1970.
    private static func reset(_ text: String, now: () -> Int) -> Duration? {
        guard let number = wholeNumber(text) ?? roundedUp(text) else {
            return moment(text).map { bounded($0 - now()) }
        }
        let now = now()
        // Servers never ask for waits of decades. So a number of at least half the current time is a time since 1970.
        let time = max(now, 2)
        if number / 1000 >= time / 2 { return bounded(number / 1000 - now + (number % 1000 > 0 ? 1 : 0)) }
        return bounded(number >= time / 2 ? number - now : number)
    }

    /// The seconds since 1970 of a date.
    private static func moment(_ text: String) -> Int? {
        let text = text.trimmingSpaces
        return HTTPDate.seconds(text) ?? ISODate.seconds(text)
    }

    /// A number of requests. Reddit sends a fraction, `587.0`, which is dropped.
    private static func count(_ text: String) -> Int? { wholeNumber(text, first: true) ?? decimal(text)?.whole }

    /// The number rounded up: 2 for `1.25`.
    private static func roundedUp(_ text: String) -> Int? {
        decimal(text).map { $0.whole + ($0.hasFraction ? 1 : 0) }
    }

    private static func decimal(_ text: String) -> (whole: Int, hasFraction: Bool)? {
        let parts = text.trimmingSpaces.split(separator: ".", omittingEmptySubsequences: false).map {
            wholeNumber(String($0))
        }
        guard parts.count == 2, let whole = parts[0], let fraction = parts[1] else { return nil }
        return (whole, fraction > 0)
    }

    private static func bounded(_ seconds: Int) -> Duration { .seconds(min(max(seconds, 0), 365 * 86_400)) }

    /// A number of decimal digits only, at most 2^53. Surrounding blanks are ignored.
    ///
    /// - Parameter first: Whether more text may follow: `100, 100;w=60`.
    private static func wholeNumber(_ text: String, first: Bool = false) -> Int? {
        text.readingBytes { bytes in
            var number: Int?
            var hasEnded = false
            for index in bytes.indices {
                switch bytes[index] {
                case 0x30...0x39 where !hasEnded:
                    number = min((number ?? 0) * 10 + Int(bytes[index] - 0x30), 1 << 53)
                case 0x20, 0x09: hasEnded = number != nil
                case UInt8(ascii: ","), UInt8(ascii: ";"): return first ? number : nil
                default: return nil
                }
            }
            return number
        }
    }
}

/// The unparsed values of the limit fields. If a field is repeated, the first value is used, except for lists.
private struct Fields {
    var retryAfter: String?
    var date: String?
    var limit: String?
    var remaining: String?
    var reset: String?
    var used: String?
    /// Trimmed, as all values of `HTTPField`.
    var resource: String?
    var limits: String?
    var policies: String?

    var hasAny: Bool {
        retryAfter != nil || remaining != nil || limits != nil || used != nil
    }

    mutating func take(_ fields: HTTPFields) {
        for field in fields {
            let name = field.name.canonicalName
            guard (4...22).contains(name.utf8.count) else { continue }
            // Most fields are excluded by their length and first letter.
            var letters = name.utf8.makeIterator()
            switch letters.next() {
            case UInt8(ascii: "d"): if name == "date" { date = field.value }
            case UInt8(ascii: "r"): takeStandard(name, field.value)
            case UInt8(ascii: "x"):
                _ = letters.next()
                if letters.next() == UInt8(ascii: "r") { takeExtended(name, field.value) }
            default: break
            }
        }
    }

    // Lengths are compared first, because comparing texts is most of the cost.

    private mutating func takeStandard(_ name: String, _ value: String) {
        switch name.utf8.count {
        case 9 where name == "ratelimit": limits = limits.map { "\($0), \(value)" } ?? value
        case 11 where name == "retry-after": retryAfter = retryAfter ?? value
        case 15 where name == "ratelimit-limit": limit = limit ?? value
        case 15 where name == "ratelimit-reset": reset = reset ?? value
        case 16 where name == "ratelimit-policy": policies = policies.map { "\($0), \(value)" } ?? value
        case 19 where name == "ratelimit-remaining": remaining = remaining ?? value
        default: break
        }
    }

    private mutating func takeExtended(_ name: String, _ value: String) {
        switch name.utf8.count {
        case 16 where name == "x-ratelimit-used": used = used ?? value
        case 17 where name == "x-ratelimit-limit": limit = limit ?? value
        case 17 where name == "x-ratelimit-reset": reset = reset ?? value
        case 17 where name == "x-rate-limit-used": used = used ?? value
        case 18 where name == "x-rate-limit-limit": limit = limit ?? value
        case 18 where name == "x-rate-limit-reset": reset = reset ?? value
        case 20 where name == "x-ratelimit-resource": resource = resource ?? value
        case 21 where name == "x-ratelimit-remaining": remaining = remaining ?? value
        case 21 where name == "x-rate-limit-resource": resource = resource ?? value
        case 22 where name == "x-rate-limit-remaining": remaining = remaining ?? value
        default: break
        }
    }
}
