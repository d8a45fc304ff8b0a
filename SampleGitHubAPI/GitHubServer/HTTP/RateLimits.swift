/// Counts requests by resource and kind of client, and accepts all: at a limit, it begins the next hour. `enforce`
/// makes a resource refuse, and `Fault.rateLimited` simulates it.
struct RateLimits: Sendable {
    struct Status: Sendable {
        let resource: String
        let limit: Int
        let used: Int
        let reset: Timestamp

        var remaining: Int { limit - used }
    }

    /// By the machine's clock.
    private struct Enforced: Sendable {
        let limit: Int
        let window: Duration
        var start: ContinuousClock.Instant
        var used = 0

        mutating func advance() {
            let now = ContinuousClock.now
            guard now >= start + window else { return }
            // Windows are adjacent.
            start += window * Int((now - start) / window)
            used = 0
        }

        /// Whole seconds until the next window, rounded up.
        var rest: Int {
            let rest = start + window - .now
            return Int(rest.components.seconds) + (rest.components.attoseconds > 0 ? 1 : 0)
        }
    }

    private var used: [String: Int] = [:]
    private var enforced: [String: Enforced] = [:]
    let reset: Timestamp

    init(startingAt now: Timestamp) { reset = now.adding(hours: 1) }

    mutating func enforce(_ limit: Int, of resource: String, every window: Duration) {
        enforced[resource] = Enforced(limit: limit, window: window, start: .now)
    }

    mutating func refuses(_ resource: String) -> Bool {
        enforced[resource]?.advance()
        return enforced[resource].map { $0.used >= $0.limit } ?? false
    }

    func status(_ resource: String, _ viewer: Viewer, at now: Timestamp) -> Status {
        if let enforced = enforced[resource] {
            return Status(
                resource: resource, limit: enforced.limit, used: enforced.used,
                reset: now.adding(seconds: enforced.rest))
        }
        let isKnown = viewer.userID != nil
        let limit = resource == "search" ? (isKnown ? 30 : 10) : (isKnown ? 5_000 : 60)
        return Status(
            resource: resource, limit: limit, used: used["\(resource) \(isKnown)", default: 0] % limit, reset: reset)
    }

    mutating func count(_ resource: String, _ viewer: Viewer) {
        enforced[resource]?.used += 1
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
