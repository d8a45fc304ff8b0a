/// How many requests have been counted, by resource and kind of client.
///
/// The server counts but does not refuse: where a limit is reached, its next hour begins. `Fault.rateLimited` plays the
/// refusal.
struct RateLimits: Sendable {
    struct Status: Sendable {
        let resource: String
        let limit: Int
        let used: Int
        let reset: Timestamp

        var remaining: Int { limit - used }
    }

    private var used: [String: Int] = [:]
    let reset: Timestamp

    init(startingAt now: Timestamp) { reset = now.adding(hours: 1) }

    func status(_ resource: String, _ viewer: Viewer) -> Status {
        let isKnown = viewer.userID != nil
        let limit = resource == "search" ? (isKnown ? 30 : 10) : (isKnown ? 5_000 : 60)
        return Status(
            resource: resource, limit: limit, used: used["\(resource) \(isKnown)", default: 0] % limit, reset: reset)
    }

    mutating func count(_ resource: String, _ viewer: Viewer) {
        used["\(resource) \(viewer.userID != nil)", default: 0] += 1
    }
}

extension RateLimits.Status: JSONRepresentable {
    var json: JSON {
        .object { status in
            status.put("limit", limit)
            status.put("used", used)
            status.put("remaining", remaining)
            status.put("reset", reset.seconds)
        }
    }
}
