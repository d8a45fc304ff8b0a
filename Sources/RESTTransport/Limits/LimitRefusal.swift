import HTTPTypes

/// That a reply refuses its request for the server's limits, and not for what was asked: the server didn't act on it.
///
/// | status | the reply says | sent again |
/// |---|---|---|
/// | 429, 403 | `Retry-After` | then |
/// | 429, 403 | that nothing is left, until when | then |
/// | 429, 403 | that a secondary limit was exceeded, as GitHub does with neither | after a minute, and twice as long each time that it still is |
/// | 429 | nothing of these | after a while that nobody knows |
/// | 403 | anything else, or that nothing is left and another reason | never: it is forbidden |
///
/// The third is by [GitHub's best
/// practices](https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api): "Otherwise, wait
/// for at least one minute before retrying", then "an exponentially increasing amount of time".
package struct LimitRefusal: Sendable, Hashable {
    /// For how long it wants the request not to be sent, at least; nil where that isn't known.
    package let wait: Duration?
    /// Whether it is for a limit of which the server says neither how much is left nor until when.
    package let isSecondary: Bool

    /// How long such a limit is left alone at first.
    package static let firstSecondaryWait = Duration.seconds(60)

    /// - Parameter said: what the reply's fields say.
    init?(_ reply: borrowing APIResponse, _ said: LimitStatement) {
        let status = reply.status.code
        guard status == 429 || status == 403 else { return nil }
        let spent = said.spentFor
        let text = Text(reply.body)
        isSecondary = said.retryAfter == nil && spent == nil && text.namesSecondaryLimit
        // A reset in the past means only that clocks differ; not to wait at all would hammer the server.
        wait = isSecondary ? Self.firstSecondaryWait : said.retryAfter ?? spent.map { max($0, .seconds(1)) }
        guard status == 403 else { return }
        if wait == nil || said.retryAfter == nil && !isSecondary && text.hasAnotherReason { return nil }
    }

    /// How long to wait after so many such refusals in a row, from 1.
    package static func secondaryWait(after refusals: Int) -> Duration {
        // More than an hour is told to nobody.
        min(firstSecondaryWait * (1 << min(max(refusals, 1) - 1, 6)), .seconds(3600))
    }

    /// What a refusal's body says, without regard to letter case.
    private struct Text {
        private let words: String

        /// What matters is said at the beginning.
        init(_ body: [UInt8]) {
            let begin = String(decoding: body.prefix(2048), as: UTF8.self)
            words = begin.lowercased().replacing("-", with: " ").replacing("_", with: " ")
        }

        /// "You have exceeded a secondary rate limit", and as it was called before: "You have triggered an abuse
        /// detection mechanism".
        var namesSecondaryLimit: Bool { words.contains("secondary rate limit") || words.contains("abuse detection") }

        /// Whether it says why, and that is nothing of limits: the last request that was left was refused as any other
        /// would be.
        var hasAnotherReason: Bool {
            guard words.contains(where: \.isLetter), words.utf8.allSatisfy({ $0 < 0x80 }) else { return false }
            return !["limit", "quota", "too many", "throttl", "exceed", "slow down", "retry", "try again"]
                .contains { words.contains($0) }
        }
    }
}

extension APIResponse {
    /// Whether it refuses its request for the server's limits; nil where it doesn't.
    ///
    /// - Parameter localTime: seconds since 1970, for servers that don't say theirs.
    package func limitRefusal(localTime: @autoclosure () -> Int = Self.localTime) -> LimitRefusal? {
        guard status == .tooManyRequests || status == .forbidden else { return nil }
        return LimitRefusal(self, LimitStatement(headerFields, localTime: localTime()))
    }
}
