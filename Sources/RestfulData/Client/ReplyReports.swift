public import Logging
public import ObjectStore
public import RESTTransport

/// What becomes of the news that a part of a reply was left out: a value that is not of its property's type, an element
/// without an identity, half a character.
///
/// ```swift
/// let api = API("https://api.example.com", reports: .strict)                 // an error, in tests say
/// let api = API("https://api.example.com", reports: .logged.telling { report, request in
///     metrics.count("mismatches", report.mismatchedCount)
/// })
/// ```
///
/// Who calls a function that gives a report (`fetchReporting`, ``API/reporting(isolation:_:)``) hears of it there. Of
/// any other call it is written to swift-log, where nothing else is said: a line of level `warning`, label
/// `RestfulData`, with the request and the paths, and without values.
///
/// Nothing is done for a reply of which all was taken. A store that opens writes what is likely a mistake in its
/// models' declarations to the same log.
public struct ReplyReports: Sendable {
    /// Whether a reply of which a part would be left out is an error, ``APIError/leftOut(_:_:)``, whoever asks for
    /// reports: of what is fetched nothing is stored then. What the server has done is stored, as far as the reply
    /// could be read, before the error is thrown.
    public var isStrict = false
    /// Made for each line, as the program may set up its log after the API.
    private var logger: (@Sendable () -> Logger)?
    private var listeners: [@Sendable (ImportReport, RequestSummary) -> Void] = []

    /// A warning in the log.
    public static let logged = ReplyReports(logger: { Logger(label: "RestfulData") })
    /// A warning in a log of one's own.
    public static func logged(to logger: Logger) -> ReplyReports { ReplyReports(logger: { logger }) }
    /// Nothing.
    public static let silent = ReplyReports()
    /// An error.
    public static let strict = ReplyReports(isStrict: true)

    /// The same, and calls `hear` with each report that nobody has asked for, away from the caller's actor or on it.
    public func telling(_ hear: @escaping @Sendable (ImportReport, RequestSummary) -> Void) -> ReplyReports {
        var reports = self
        reports.listeners.append(hear)
        return reports
    }

    /// Writes a warning to the log.
    func warn(_ text: String) { logger?().warning("\(text)") }

    /// Tells those who are to hear of it.
    func tell(_ report: ImportReport, of request: RequestSummary) {
        // A log is read by others than the data's owner, so it has no values.
        logger?().warning("\(request): left out of the reply: \(report.summaryOfLeftOut)")
        for hear in listeners { hear(report, request) }
    }
}
