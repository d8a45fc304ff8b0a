import HTTPTypes
public import ObjectStore
import Synchronization

/// The settings of a task's calls, and the collectors of their results.
struct CallScope: Sendable {
    var call = Call()
    var reports: ReportSum?
    var responses: ResponseList?

    @TaskLocal static var current: CallScope?

    /// Runs requests, such as those of middleware, without the current call's settings, its collectors and the outbox's
    /// entry.
    static func withoutCurrent<Value>(_ body: () async -> Value) async -> Value {
        // Setting a task local takes time, also to nil.
        guard OutboxScope.current == nil else {
            return await OutboxScope.$current.withValue(nil) { await withoutCurrent(body) }
        }
        return current == nil ? await body() : await $current.withValue(nil) { await body() }
    }

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
    static func with<Value>(
        _ settings: Settings?, isolation: isolated (any Actor)? = #isolation,
        _ operation: () async throws(APIError) -> Value
    ) async throws(APIError) -> Value {
        guard let settings else { return try await operation() }
        var scope = CallScope.current ?? CallScope()
        try scope.call.change(by: settings)
        return try await scope.run(isolation: isolation, operation)
    }

    /// The current call with changes; nil without `settings`.
    static func current(changedBy settings: Settings?) -> Result<Call, APIError>? {
        guard let settings else { return nil }
        var call = Call.current
        do throws(APIError) { try call.change(by: settings) } catch { return .failure(error) }
        return .success(call)
    }

    private mutating func change(by settings: Settings) throws(APIError) {
        do { try settings(&self) } catch let error as APIError { throw error } catch { throw .unencodable("\(error)") }
    }

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

    static var current: Call { CallScope.current?.call ?? Call() }
}

/// The newest thousand, since `context.follow` adds elements forever.
private struct Newest<Element> {
    private static var limit: Int { 1000 }
    private(set) var all: [Element] = []

    mutating func append(_ element: Element) {
        if all.count == Self.limit { all.removeFirst() }
        all.append(element)
    }
}

final class ResponseList: Sendable {
    private let heads = Mutex(Newest<ResponseHead>())
    private let outer: ResponseList?

    init(within outer: ResponseList?) { self.outer = outer }

    var all: [ResponseHead] { heads.withLock { $0.all } }

    func add(_ head: ResponseHead) {
        heads.withLock { $0.append(head) }
        outer?.add(head)
    }
}

final class ReportSum: Sendable {
    private struct State {
        var sum = ImportReport()
        /// Closures that report omissions to the API's listeners, called if the calls fail.
        var others = Newest<@Sendable () -> Void>()
    }

    private let state = Mutex(State())
    private let outer: ReportSum?

    init(within outer: ReportSum?) { self.outer = outer }

    var report: ImportReport { state.withLock { $0.sum } }

    /// - Parameter notifyListeners: called if the calls fail; nil for a report without omissions.
    func add(_ report: ImportReport, or notifyListeners: (@Sendable () -> Void)?) {
        state.withLock { state in
            state.sum += report
            if let notifyListeners { state.others.append(notifyListeners) }
        }
        outer?.add(report, or: nil)
    }

    func notifyListeners() {
        let others = state.withLock { $0.others.all }
        if let outer { return outer.state.withLock { state in for notify in others { state.others.append(notify) } } }
        for notify in others { notify() }
    }
}

extension API {
    /// Runs calls, and reports how their replies changed the store.
    ///
    /// ```swift
    /// let (user, report) = try await API.reporting {
    ///     try await User.fetch("/users/:login", ["login": login], in: context)
    /// }
    /// for mismatch in report.mismatched { print(mismatch) }         // age: "x" where a whole number was expected
    /// ```
    ///
    /// Calls of child tasks count too. These reports bypass the log and the API's listeners (``ReplyReports``).
    ///
    /// - Returns: the result, and the sum of all reports.
    /// - Throws: the error of `calls`. The log and the listeners then get the omissions of the newest thousand replies
    ///   or events.
    public static func reporting<Value, Failure: Error>(
        isolation: isolated (any Actor)? = #isolation, _ calls: () async throws(Failure) -> Value
    ) async throws(Failure) -> (value: Value, report: ImportReport) {
        var scope = CallScope.current ?? CallScope()
        let sum = ReportSum(within: scope.reports)
        scope.reports = sum
        do throws(Failure) {
            return (try await scope.run(isolation: isolation, calls), sum.report)
        } catch {
            sum.notifyListeners()
            throw error
        }
    }
}
