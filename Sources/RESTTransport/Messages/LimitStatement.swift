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
    package struct Quota: Sendable, Hashable {
        /// A resource or a policy; empty for an unnamed limit.
        package var name = ""
        package var limit: Int?
        package var remaining: Int?
        /// The time until all requests are available again; at most a year.
        package var reset: Duration?
        package var window: Duration?
        /// Other limits count bytes, or concurrent requests.
        package var countsRequests = true
    }

    /// Only limits with a known remaining count.
    package private(set) var quotas: [Quota] = []
    /// At most a year.
    package private(set) var retryAfter: Duration?

    /// The time until the exhausted limits reset.
    package var spentFor: Duration? { quotas.filter { $0.remaining == 0 }.compactMap(\.reset).max() }

    package static let nothing = LimitStatement([:], localTime: 0)

    /// - Parameter localTime: Seconds since 1970, without a `Date` of the server.
    package init(_ fields: HTTPFields, localTime: @autoclosure () -> Int) {
        var stated = Fields()
        stated.take(fields)
        guard stated.hasAny else { return }
        // Dates are parsed only for a comparison.
        let date = stated.date
        func now() -> Int { date.flatMap { HTTPDate.seconds($0) } ?? localTime() }
        retryAfter = stated.retryAfter.flatMap { Self.wait($0, now: now) }
        let policies = stated.policies.flatMap { PolicyItem.list($0) } ?? []
        if let limits = stated.limits {
            quotas = Self.quotas(limits, policies).filter { $0.remaining != nil }
        } else {
            let quota = Self.quota(stated, policies.count == 1 ? policies[0] : nil, now: now)
            if quota.remaining != nil { quotas = [quota] }
        }
    }

    /// Seconds, or a date ([RFC 9110 §10.2.3](https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3)). Shopify sends
    /// `2.0`.
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

    /// A dictionary: `limit=100, remaining=50, reset=30`.
    private static func draft7(_ items: [PolicyItem]) -> Quota? {
        let values = Dictionary(items.map { ($0.name, $0.value) }) { first, _ in first }
        guard let remaining = values["remaining"] ?? nil else { return nil }
        return Quota(
            limit: values["limit"] ?? nil, remaining: remaining, reset: (values["reset"] ?? nil).map(bounded))
    }

    // MARK: One number a field

    private static func quota(_ stated: Fields, _ policy: PolicyItem?, now: () -> Int) -> Quota {
        let limit = stated.limit.flatMap { count($0) }
        var quota = Quota(name: stated.resource ?? "", limit: limit)
        quota.remaining = stated.remaining.flatMap { count($0) }
        if quota.remaining == nil, let limit, let used = stated.used.flatMap({ count($0) }) {
            quota.remaining = max(0, limit - used)
        }
        if quota.remaining != nil { quota.reset = stated.reset.flatMap { reset($0, now: now) } }
        quota.window = policy?["w"].map(bounded)
        return quota
    }

    /// The time until a reset that is stated from now, or since 1970.
    private static func reset(_ text: String, now: () -> Int) -> Duration? {
        guard let number = wholeNumber(text) ?? roundedUp(text) else {
            return moment(text).map { bounded($0 - now()) }
        }
        let now = now()
        // Servers never ask for waits of decades, so a number of at least half the current time counts since 1970.
        let time = max(now, 2)
        if number / 1000 >= time / 2 { return bounded(number / 1000 - now + (number % 1000 > 0 ? 1 : 0)) }
        return bounded(number >= time / 2 ? number - now : number)
    }

    /// A date, in seconds since 1970.
    private static func moment(_ text: String) -> Int? {
        let text = text.trimmingSpaces
        return HTTPDate.seconds(text) ?? ISODate.seconds(text)
    }

    /// The fraction of Reddit's `587.0` is dropped.
    private static func count(_ text: String) -> Int? { wholeNumber(text, first: true) ?? decimal(text)?.whole }

    /// 2 for `1.25`.
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

    /// Decimal digits only, at most 2^53, between blanks.
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

/// Unparsed values. The first value of a repeated field counts, except for lists.
private struct Fields {
    var retryAfter: String?
    var date: String?
    var limit: String?
    var remaining: String?
    var reset: String?
    var used: String?
    /// Trimmed by `HTTPField`.
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
            // Length and first letter exclude most fields.
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

    // Lengths are compared first, as comparing texts is most of the cost.

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
