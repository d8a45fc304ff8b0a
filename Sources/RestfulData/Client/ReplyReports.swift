public import Logging
public import ObjectStore
public import RESTTransport

/// How to report omissions from replies: values of a wrong type, elements without an identity, invalid characters.
///
/// ```swift
/// let api = API("https://api.example.com", reports: .strict)                 // an error
/// let api = API("https://api.example.com", reports: .logged.telling { report, request in
///     metrics.count("mismatches", report.mismatchedCount)
/// })
/// ```
///
/// A call with a report (`fetchReporting`, ``API/reporting(isolation:_:)``) returns it there. By default, others log a
/// `warning` to swift-log, label `RestfulData`, with the request and the paths, without values. Opening a store logs
/// likely mistakes in its declarations in the same way.
public struct ReplyReports: Sendable {
    /// Whether an omission is an error, ``APIError/leftOut(_:_:)``, even for calls with a report. A fetch then stores
    /// nothing. An acknowledged change is stored first, with the readable part of the reply.
    public var isStrict = false
    /// Called for each line, since the program may set up its log after the API.
    private var logger: (@Sendable () -> Logger)?
    private var listeners: [@Sendable (ImportReport, RequestSummary) -> Void] = []

    /// Logs a warning.
    public static let logged = ReplyReports(logger: { Logger(label: "RestfulData") })
    /// Logs a warning to a log of your own.
    public static func logged(to logger: Logger) -> ReplyReports { ReplyReports(logger: { logger }) }
    /// Reports nothing.
    public static let silent = ReplyReports()
    /// Throws an error.
    public static let strict = ReplyReports(isStrict: true)

    /// Adds a listener, on any actor, for the omissions of calls without a report.
    public func telling(_ hear: @escaping @Sendable (ImportReport, RequestSummary) -> Void) -> ReplyReports {
        var reports = self
        reports.listeners.append(hear)
        return reports
    }

    func warn(_ text: String) { logger?().warning("\(text)") }

    func deliver(_ report: ImportReport, of request: RequestSummary) {
        // Values stay private, since others may read the log.
        logger?().warning("\(request): left out of the reply: \(report.summaryOfLeftOut)")
        for hear in listeners { hear(report, request) }
    }
}
