import HTTPTypes
public import ObjectStore
import Synchronization

/// What the calls of a task have in common: their settings, and who collects what came of them.
struct CallScope: Sendable {
    /// The settings of their requests.
    var call = Call()
    /// Who hears of what they import.
    var reports: ReportSum?
    /// Who hears of the responses that they got.
    var responses: ResponseList?

    /// Of the running task; nil where nothing was said.
    @TaskLocal static var current: CallScope?

    /// Runs what is none of the current calls' own.
    static func withoutCurrent<Value>(_ body: () async -> Value) async -> Value {
        // To say nothing costs as much as to say something.
        current == nil ? await body() : await $current.withValue(nil) { await body() }
    }

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

extension Call {
    /// Runs an operation whose requests have these settings, on top of those of the calls around it.
    ///
    /// - Parameter settings: nil for an operation without any, which costs nothing.
    static func with<Value>(
        _ settings: Settings?, isolation: isolated (any Actor)? = #isolation,
        _ operation: () async throws(APIError) -> Value
    ) async throws(APIError) -> Value {
        guard let settings else { return try await operation() }
        var scope = CallScope.current ?? CallScope()
        try scope.call.change(by: settings)
        return try await scope.run(isolation: isolation, operation)
    }

    /// The settings of the running calls with some of them changed, or why they can't be; nil where nothing is said.
    static func current(changedBy settings: Settings?) -> Result<Call, APIError>? {
        guard let settings else { return nil }
        var call = Call.current
        do throws(APIError) { try call.change(by: settings) } catch { return .failure(error) }
        return .success(call)
    }

    private mutating func change(by settings: Settings) throws(APIError) {
        do { try settings(&self) } catch let error as APIError { throw error } catch { throw .unencodable("\(error)") }
    }

    /// Makes requests that have these settings, whenever they are sent.
    ///
    /// - Parameter call: nil for those of the running calls.
    static func with<Value>(
        _ call: Result<Call, APIError>?, making make: () throws(APIError) -> Value
    ) throws(APIError) -> Value {
        guard let call = try call?.get() else { return try make() }
        var scope = CallScope.current ?? CallScope()
        scope.call = call
        return try CallScope.$current.withValue(scope) { () -> Result<Value, APIError> in
            do throws(APIError) { return .success(try make()) } catch { return .failure(error) }
        }.get()
    }

    /// The settings of the running calls.
    static var current: Call { CallScope.current?.call ?? Call() }
}

/// The heads of the responses to several requests.
final class ResponseList: Sendable {
    private let heads = Mutex<[ResponseHead]>([])
    /// That of the calls which these are part of.
    private let outer: ResponseList?

    init(within outer: ResponseList?) { self.outer = outer }

    var all: [ResponseHead] { heads.withLock { $0 } }

    func add(_ head: ResponseHead) {
        heads.withLock { $0.append(head) }
        outer?.add(head)
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
}
