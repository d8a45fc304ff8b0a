/// Something that goes wrong between a client and the server.
public enum Fault: Sendable {
    /// The reply comes so much later.
    case delay(Duration)
    /// The connection is closed before the request is looked at.
    case dropRequest
    /// The request is executed, but the connection is closed before the reply.
    case dropReply
    /// The reply's body breaks off in the middle and the connection is closed.
    case truncateReply
    /// Another reply, as from a proxy. The request never reaches the API.
    case reply(status: Int, headers: [String: String] = [:], body: String = "")

    /// 502 as GitHub sends it.
    public static let badGateway = Fault.reply(
        status: 502, headers: ["Content-Type": "application/json; charset=utf-8"], body: #"{"message":"Server Error"}"#)

    /// GitHub's 403 for a client that has used up the hour's requests.
    ///
    /// - Parameter reset: when the next hour begins, in seconds since 1970.
    public static func rateLimited(reset: Int) -> Fault {
        .reply(
            status: 403,
            headers: [
                "Content-Type": "application/json; charset=utf-8", "X-RateLimit-Limit": "5000",
                "X-RateLimit-Remaining": "0", "X-RateLimit-Used": "5000", "X-RateLimit-Resource": "core",
                "X-RateLimit-Reset": String(reset),
            ],
            body: """
                {"message":"API rate limit exceeded for user ID 583231.",\
                "documentation_url":"https://docs.github.com/rest/overview/rate-limits-for-the-rest-api","status":"403"}
                """)
    }

    /// GitHub's 403 for a client that sends requests too fast.
    ///
    /// - Parameter seconds: The value of `Retry-After`. If nil, only the message mentions the limit, as GitHub
    ///   sometimes does.
    public static func secondaryRateLimited(retryAfter seconds: Int? = nil) -> Fault {
        var headers = [
            "Content-Type": "application/json; charset=utf-8", "X-RateLimit-Limit": "5000",
            "X-RateLimit-Remaining": "4987", "X-RateLimit-Resource": "core",
        ]
        headers["Retry-After"] = seconds.map(String.init)
        return .reply(
            status: 403, headers: headers,
            body: """
                {"message":"You have exceeded a secondary rate limit. Please wait a few minutes before you try again.",\
                "documentation_url":"https://docs.github.com/rest/overview/rate-limits-for-the-rest-api","status":"403"}
                """)
    }
}
