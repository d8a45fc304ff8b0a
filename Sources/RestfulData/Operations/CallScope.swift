public import HTTPTypes
public import ObjectStore
import Synchronization

/// What the calls of a task have in common that the API and the models do not say.
struct CallScope: Sendable {
    /// The header fields of their requests.
    var headers: HTTPFields = [:]
    /// Who hears of what they import.
    var reports: ReportSum?

    /// Whether a list may be another one, or a part of it, by what its requests say: of another account or tenant, say.
    var narrowsLists: Bool { headers.contains { !Self.neutral.contains($0.name.canonicalName) } }

    /// Fields by which no list gets shorter.
    private static let neutral: Set<String> = [
        "accept", "accept-charset", "accept-encoding", "accept-language", "baggage", "cache-control", "content-type",
        "dnt", "if-match",
        "if-modified-since", "if-none-match", "if-unmodified-since", "pragma", "priority", "traceparent", "tracestate",
        "user-agent", "x-correlation-id", "x-request-id",
    ]

    /// Of the running task; nil where nothing was said.
    @TaskLocal static var current: CallScope?

    /// Runs calls with it.
    func run<Value, Failure: Error>(
        isolation: isolated (any Actor)?, _ calls: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let outcome = await Self.$current.withValue(
            self,
            operation: { () async -> Result<Value, Failure> in
                _ = isolation
                do throws(Failure) { return .success(try await calls()) } catch { return .failure(error) }
            }, isolation: isolation)
        return try outcome.get()
    }
}

/// What several imports did.
final class ReportSum: Sendable {
    private struct State {
        var sum = ImportReport()
        /// What tells others what was left out, should the caller not get the report.
        var others: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())
    /// That of the calls which these are part of.
    private let outer: ReportSum?

    init(within outer: ReportSum?) { self.outer = outer }

    var report: ImportReport { state.withLock { $0.sum } }

    /// - Parameter tellOthers: called when no caller gets the report; nil where that is no news.
    func add(_ report: ImportReport, or tellOthers: (@Sendable () -> Void)?) {
        state.withLock { state in
            state.sum += report
            if let tellOthers { state.others.append(tellOthers) }
        }
        outer?.add(report, or: nil)
    }

    /// The caller gets no report; those of the calls around may.
    func tellOthers() {
        let others = state.withLock { $0.others }
        if let outer { return outer.state.withLock { $0.others += others } }
        for tell in others { tell() }
    }
}

extension API {
    /// Runs calls, and says what their replies did to the store: for those that give no report themselves.
    ///
    /// ```swift
    /// let (user, report) = try await API.reporting {
    ///     try await User.fetch("/users/:login", ["login": login], in: context)
    /// }
    /// for mismatch in report.mismatched { print(mismatch) }         // age: "x" where a whole number was expected
    /// ```
    ///
    /// Calls of child tasks count too. What is reported here goes neither to the log nor to the API's other listeners
    /// (``ReplyReports``).
    ///
    /// - Parameters:
    ///   - isolation: the caller's actor.
    ///   - calls: fetches, saves, whatever imports replies.
    /// - Returns: what `calls` returns, and the sum of all reports.
    /// - Throws: what `calls` throws; what was left out until then is told as if nobody had asked here.
    public static func reporting<Value, Failure: Error>(
        isolation: isolated (any Actor)? = #isolation, _ calls: () async throws(Failure) -> Value
    ) async throws(Failure) -> (value: Value, report: ImportReport) {
        var scope = CallScope.current ?? CallScope()
        let sum = ReportSum(within: scope.reports)
        scope.reports = sum
        do throws(Failure) {
            return (try await scope.run(isolation: isolation, calls), sum.report)
        } catch {
            sum.tellOthers()
            throw error
        }
    }

    /// Runs calls whose requests have these header fields, in place of those of the same name that the library sets.
    ///
    /// ```swift
    /// try await API.withHeaders([.ifMatch: etag]) { try await issue.save() }
    /// ```
    ///
    /// They are in each request that the calls send, the pages of a list and child tasks included. Requests that only
    /// check what a reply means (``APIConventions/NotFoundDeletions``, both versions of a conflict) leave out
    /// preconditions (`If-…`) and `Idempotency-Key`, and those that middleware sends by itself, for a token say, have
    /// none of them. Neither have requests to another origin than the API's, redirects included, as a field may be
    /// secret. For all requests of an API there is ``Headers``.
    ///
    /// - Parameters:
    ///   - fields: the fields; within those of another such call, both.
    ///   - isolation: the caller's actor.
    ///   - calls: what sends the requests.
    /// - Returns: what `calls` returns.
    /// - Throws: what `calls` throws.
    public static func withHeaders<Value, Failure: Error>(
        _ fields: HTTPFields, isolation: isolated (any Actor)? = #isolation,
        _ calls: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        var scope = CallScope.current ?? CallScope()
        for field in fields { scope.headers[field.name] = nil }
        scope.headers.append(contentsOf: fields)
        return try await scope.run(isolation: isolation, calls)
    }
}

extension HTTPFields {
    /// Without what is meant for one request alone: preconditions, what makes a repetition known, the type of its body.
    var withoutConditions: HTTPFields {
        HTTPFields(
            filter { field in
                let name = field.name.canonicalName
                return !name.hasPrefix("if-") && !["idempotency-key", "content-type"].contains(name)
            })
    }
}
