import HTTPTypes

/// A refusal for the server's limits, independent of the request's content. The server has ignored the request.
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
    /// The shortest wait before the request is sent again; nil if unknown.
    package let wait: Duration?
    /// Whether it is for a secondary limit, for which the server omits the remaining requests and the time.
    package let isSecondary: Bool

    package static let firstSecondaryWait = Duration.seconds(60)

    init?(_ reply: borrowing APIResponse, _ said: LimitStatement) {
        let status = reply.status.code
        guard status == 429 || status == 403 else { return nil }
        let spent = said.spentFor
        let text = Text(reply.body)
        isSecondary = said.retryAfter == nil && spent == nil && text.namesSecondaryLimit
        // Clocks differ, so a reset time may be in the past. Wait at least a second.
        wait = isSecondary ? Self.firstSecondaryWait : said.retryAfter ?? spent.map { max($0, .seconds(1)) }
        guard status == 403 else { return }
        if wait == nil || said.retryAfter == nil && !isSecondary && text.hasAnotherReason { return nil }
    }

    /// - Parameter refusals: The number of consecutive refusals for a secondary limit, from 1.
    /// - Returns: The wait, at most an hour.
    package static func secondaryWait(after refusals: Int) -> Duration {
        min(firstSecondaryWait * (1 << min(max(refusals, 1) - 1, 6)), .seconds(3600))
    }

    private struct Text {
        private let words: String

        /// The message is at the beginning.
        init(_ body: [UInt8]) {
            let begin = String(decoding: body.prefix(2048), as: UTF8.self)
            words = begin.lowercased().replacing("-", with: " ").replacing("_", with: " ")
        }

        /// Whether it is GitHub's "You have exceeded a secondary rate limit", or the former "You have triggered an
        /// abuse detection mechanism".
        var namesSecondaryLimit: Bool { words.contains("secondary rate limit") || words.contains("abuse detection") }

        /// Whether it states a reason other than limits. The last remaining request may be refused for any reason.
        var hasAnotherReason: Bool {
            guard words.contains(where: \.isLetter), words.utf8.allSatisfy({ $0 < 0x80 }) else { return false }
            return !["limit", "quota", "too many", "throttl", "exceed", "slow down", "retry", "try again"]
                .contains { words.contains($0) }
        }
    }
}

extension APIResponse {
    /// The refusal for the server's limits; nil for any other reply.
    ///
    /// - Parameter localTime: seconds since 1970, for replies that omit the server's time.
    package func limitRefusal(localTime: @autoclosure () -> Int = Self.localTime) -> LimitRefusal? {
        guard status == .tooManyRequests || status == .forbidden else { return nil }
        return LimitRefusal(self, LimitStatement(headerFields, localTime: localTime()))
    }
}
