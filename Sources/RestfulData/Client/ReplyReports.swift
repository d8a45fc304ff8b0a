public import Logging
public import ObjectStore
public import RESTTransport

/// How to report omissions from replies: values of a wrong type, elements without an identity, invalid characters.
///
/// ```swift
/// let api = API("https://api.example.com", reports: .strict)                 // an error, in tests say
/// let api = API("https://api.example.com", reports: .logged.telling { report, request in
///     metrics.count("mismatches", report.mismatchedCount)
/// })
/// ```
///
/// Callers of a function with a report (`fetchReporting`, ``API/reporting(isolation:_:)``) get the report there. For
/// all other calls, the default is a line in swift-log with level `warning` and label `RestfulData`. It has the request
/// and the paths, without values.
///
/// Opening a store logs likely mistakes in its models' declarations in the same way.
public struct ReplyReports: Sendable {
    /// Whether an omission is an error, ``APIError/leftOut(_:_:)``, even if the caller gets a report. A fetch then
    /// stores nothing. An acknowledged change is stored, with the readable part of the reply, before the error is
    /// thrown.
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

    /// Adds a listener for the omissions of calls without a report. It is called on any actor.
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
