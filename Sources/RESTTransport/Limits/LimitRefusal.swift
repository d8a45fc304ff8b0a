import HTTPTypes

/// A refusal because of the server's limits, independent of the request's content. The server has ignored the request.
///
/// | status | the reply has | sent again |
/// |---|---|---|
/// | 429, 403 | `Retry-After` | after that time |
/// | 429, 403 | no remaining requests, and the end of the window | when the window ends |
/// | 429, 403 | GitHub's message about a secondary limit, and neither of these | after a minute, then twice as long after each refusal |
/// | 429 | none of these | after the usual wait of ``Retry`` |
/// | 403 | anything else, or no remaining requests and a message with another reason | never: the request is forbidden |
///
/// The third row follows [GitHub's best
/// practices](https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api): "Otherwise, wait
/// for at least one minute before retrying", then "an exponentially increasing amount of time".
package struct LimitRefusal: Sendable, Hashable {
    /// Nil if unknown.
    package let wait: Duration?
    /// For a secondary limit, the server states no remaining requests and no time.
    package let isSecondary: Bool

    package static let firstSecondaryWait = Duration.seconds(60)

    init?(_ reply: borrowing APIResponse, _ stated: LimitStatement) {
        let status = reply.status.code
        guard status == 429 || status == 403 else { return nil }
        let spent = stated.spentFor
        let text = Text(reply.body)
        isSecondary = stated.retryAfter == nil && spent == nil && text.namesSecondaryLimit
        // As clocks differ, a reset may be in the past.
        wait = isSecondary ? Self.firstSecondaryWait : stated.retryAfter ?? spent.map { max($0, .seconds(1)) }
        guard status == 403 else { return }
        if wait == nil || stated.retryAfter == nil && !isSecondary && text.hasAnotherReason { return nil }
    }

    /// - Parameter refusals: In a row, from 1.
    /// - Returns: At most an hour.
    package static func secondaryWait(after refusals: Int) -> Duration {
        min(firstSecondaryWait * (1 << min(max(refusals, 1) - 1, 6)), .seconds(3600))
    }

    private struct Text {
        private let words: String

        /// The message is at the body's beginning.
        init(_ body: [UInt8]) {
            let begin = String(decoding: body.prefix(2048), as: UTF8.self)
            words = begin.lowercased().replacing("-", with: " ").replacing("_", with: " ")
        }

        /// GitHub's "You have exceeded a secondary rate limit", formerly "You have triggered an abuse detection
        /// mechanism".
        var namesSecondaryLimit: Bool { words.contains("secondary rate limit") || words.contains("abuse detection") }

        /// The last remaining request may be refused for a reason other than limits.
        var hasAnotherReason: Bool {
            guard words.contains(where: \.isLetter), words.utf8.allSatisfy({ $0 < 0x80 }) else { return false }
            return !["limit", "quota", "too many", "throttl", "exceed", "slow down", "retry", "try again"]
                .contains { words.contains($0) }
        }
    }
}

extension APIResponse {
    /// Nil for any other reply.
    ///
    /// - Parameter localTime: seconds since 1970, in place of the server's.
    package func limitRefusal(localTime: @autoclosure () -> Int = Self.localTime) -> LimitRefusal? {
        guard status == .tooManyRequests || status == .forbidden else { return nil }
        return LimitRefusal(self, LimitStatement(headerFields, localTime: localTime()))
    }
}
