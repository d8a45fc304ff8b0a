/// How many requests have been counted, by resource and kind of client.
///
/// The server counts requests and accepts all: at a limit, it begins the next hour. `Fault.rateLimited` simulates a
/// refusal, and `enforce` enables real ones for a resource.
struct RateLimits: Sendable {
    struct Status: Sendable {
        let resource: String
        let limit: Int
        let used: Int
        let reset: Timestamp

        var remaining: Int { limit - used }
    }

    /// A limit that refuses, by the machine's clock.
    private struct Enforced: Sendable {
        let limit: Int
        let window: Duration
        var start: ContinuousClock.Instant
        var used = 0

        mutating func advance() {
            let now = ContinuousClock.now
            guard now >= start + window else { return }
            // Whole windows are skipped, so that all are adjacent.
            start += window * Int((now - start) / window)
            used = 0
        }

        /// Until the next window begins, in whole seconds, rounded up.
        var rest: Int {
            let rest = start + window - .now
            return Int(rest.components.seconds) + (rest.components.attoseconds > 0 ? 1 : 0)
        }
    }

    private var used: [String: Int] = [:]
    private var enforced: [String: Enforced] = [:]
    let reset: Timestamp

    init(startingAt now: Timestamp) { reset = now.adding(hours: 1) }

    /// Refuses further requests than this number in each window.
    mutating func enforce(_ limit: Int, of resource: String, every window: Duration) {
        enforced[resource] = Enforced(limit: limit, window: window, start: .now)
    }

    /// Whether an enforced limit of the resource is used up.
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
