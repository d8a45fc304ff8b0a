import ObjectStore
import RESTTransport
import Synchronization

/// Decides when a store's outbox sends. Every cause to send goes through this type.
///
/// ```
/// Outbox ── OutboxEngine          started or stopped, waiting times, listeners
///           └─ OutboxDrain        one run through the entries, on an actor and in a context of its own
///              ├─ OutboxVerdict   the result of an attempt to send an entry
///              └─ OutboxScope     task local: the entry being sent, for its request and the transaction of the reply
/// ```
final class OutboxEngine: Sendable {
    struct State {
        var isStarted = false
        var runner: Task<Void, Never>?
        /// Each runner has its own.
        var alarm = OutboxAlarm()
        var watch: OutboxWatch?
        /// Failed attempts by the numbers of entries.
        var attempts: [Int64: Attempt] = [:]
        /// The failures in a row that affect all requests to an API.
        var holds: [APIIndex: Attempt] = [:]
        /// The reasons of pauses, which ``forgetWaits()`` ends.
        var pauses: [APIIndex: String] = [:]
        var sending: Set<QueuedSubject> = []
        var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
        var lastListener = 0
        var time: TimeSource
        /// Whether entries wait for other objects. Any commit may then unblock them.
        var hasBlocked = false
        /// Commits that may have added entries.
        var newEntryCount = 0
        /// The APIs that a warning was logged for, about entries that their accounts keep from being sent.
        var warned: Set<APIIndex> = []
        /// The maximal number of requests in flight. The API's own limits may allow fewer.
        var width = 8

        /// - Returns: the alarm of the new runner; nil if one runs already.
        mutating func start() -> OutboxAlarm? {
            if isStarted { return nil }
            (isStarted, alarm) = (true, OutboxAlarm())
            return alarm
        }

        /// - Returns: the alarm of the runner that ends.
        mutating func stop() -> OutboxAlarm {
            (isStarted, runner) = (false, nil)
            return alarm
        }

        /// Ignores a runner that was stopped before it was kept.
        mutating func keep(_ runner: Task<Void, Never>, of alarm: OutboxAlarm) {
            if isStarted, self.alarm === alarm { self.runner = runner }
        }
    }

    struct Attempt {
        var count = 0
        /// The earliest time of the next attempt, by a monotonic clock.
        var notBefore = Duration.zero
    }

    private let state: Mutex<State>

    init(time: TimeSource) { state = Mutex(State(time: time)) }

    /// The upper bound of a wait starts at one second and doubles up to this.
    static let longestWait = Duration.seconds(300)

    deinit {
        let (runner, watch) = state.withLock { ($0.runner, $0.watch) }
        runner?.cancel()
        watch?.end()
    }

    func read<Value: Sendable>(_ body: (inout State) -> Value) -> Value { state.withLock { state in body(&state) } }

    var time: TimeSource {
        get { state.withLock { $0.time } }
        set { state.withLock { $0.time = newValue } }
    }

    // MARK: Starting

    /// Sends until ``stop()``, or until the store is closed.
    func start(_ file: StoreFile) {
        guard let alarm = state.withLock({ $0.start() }) else { return wake() }
        watch(file)
        let time = time
        // The runner outlives the calls around `start()`, so their settings end here.
        let runner = CallScope.$current.withValue(nil) { () -> Task<Void, Never> in
            // References are weak, so that the file can be closed between two runs.
            Task { [weak self, weak file] in
                while !Task.isCancelled {
                    alarm.reset()
                    guard let wait = await Self.run(self, file, by: alarm) else { return }
                    await alarm.wait(for: wait.duration, time)
                }
            }
        }
        state.withLock { $0.keep(runner, of: alarm) }
    }

    private struct Wait {
        var duration: Duration?
    }

    /// - Returns: nil if the store is closed or the outbox was stopped.
    private static func run(_ engine: OutboxEngine?, _ file: StoreFile?, by alarm: OutboxAlarm) async -> Wait? {
        guard let engine, let file, !file.isClosed, engine.read({ $0.isStarted && $0.alarm === alarm }) else {
            return nil
        }
        let report = await OutboxDrain(file, engine).run(isAutomatic: true)
        return Wait(duration: engine.nextWait(after: report))
    }

    /// Stops the runner. Requests in flight complete first.
    func stop() {
        // Another thread may have started the next runner, which has an alarm of its own.
        state.withLock { $0.stop() }.ring()
    }

    func wake() { read(\.alarm).ring() }

    /// The wait until the next run; nil: until a change.
    private func nextWait(after report: OutboxReport) -> Duration? {
        // The other process may end silently.
        if report.isBusy { return .seconds(5) }
        return report.nextAttempt.map { max($0 - time.elapsed(), .zero) }
    }

    // MARK: Notifications

    func watch(_ file: StoreFile) {
        let isWatching = state.withLock { $0.watch != nil }
        guard !isWatching else { return }
        let watch = OutboxWatch(file) { [weak self] change in
            guard let self else { return }
            let concernsOutbox = state.withLock { state in
                if change == .newEntries { state.newEntryCount += 1 }
                return change != .rows || state.hasBlocked
            }
            guard concernsOutbox else { return }
            if change != .rows { notify() }
            wake()
        }
        keep(watch)
    }

    /// Ends a watch if another thread's was kept first. Registering within the lock could deadlock with a commit.
    func keep(_ watch: OutboxWatch) {
        let isFirst = state.withLock { state in
            guard state.watch == nil else { return false }
            state.watch = watch
            return true
        }
        if !isFirst { watch.end() }
    }

    func notify() { for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield() } }

    func changes(of file: StoreFile) -> AsyncStream<Void> {
        watch(file)
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state in
            state.lastListener += 1
            state.listeners[state.lastListener] = continuation
            return state.lastListener
        }
        continuation.onTermination = { [weak self] _ in self?.read { $0.listeners[id] = nil } }
        continuation.yield()
        return stream
    }

    // MARK: Waiting times

    var pauses: [(api: APIIndex, reason: String)] {
        state.withLock { $0.pauses.map { ($0, $1) } }.sorted { $0.0.rawValue < $1.0.rawValue }
    }

    func isSending(_ subject: QueuedSubject) -> Bool { state.withLock { $0.sending.contains(subject) } }

    enum Due: Equatable {
        case now
        case later(Duration)
        /// Only after ``forgetWaits()``.
        case never
    }

    /// - Parameter entry: its number; nil for any entry of the API.
    func due(_ entry: Int64?, to api: APIIndex) -> Due {
        let now = time.elapsed()
        return state.withLock { state in
            if state.pauses[api] != nil { return .never }
            let times = [entry.flatMap { state.attempts[$0] }, state.holds[api]].compactMap { $0?.notBefore }
            guard let last = times.max(), last > now else { return .now }
            return .later(last)
        }
    }

    /// Failures in a row that affected all requests to an API.
    func failureCount(of api: APIIndex) -> Int { state.withLock { $0.holds[api]?.count ?? 0 } }

    /// - Parameter failures: ``failureCount(of:)`` before the request.
    func note(_ verdict: OutboxVerdict, of entry: Int64, to api: APIIndex, after failures: Int) {
        let time = time
        let (now, chance) = (time.elapsed(), time.fraction())
        state.withLock { state in
            switch verdict {
            case .done, .takenBack, .reject, .wait:
                state.attempts[entry] = nil
                // An earlier request may succeed during a hold, which continues.
                if let hold = state.holds[api], hold.notBefore <= now { state.holds[api] = nil }
            case .later: state.attempts[entry, default: Attempt()].delay(now, chance)
            case .hold(let wait):
                // Requests in flight fail together, which is one failure.
                if (state.holds[api]?.count ?? 0) <= failures {
                    state.holds[api, default: Attempt()].delay(now, chance)
                }
                if let wait { state.holds[api]?.notBefore = now + wait + wait / 10 * time.spread() }
            case .pause(let reason): state.pauses[api] = reason
            case .stop: break
            }
        }
    }

    func forgetWaits() {
        let wasPaused = state.withLock { state in
            defer { (state.attempts, state.holds, state.pauses) = ([:], [:], [:]) }
            return !state.pauses.isEmpty
        }
        if wasPaused { notify() }
        wake()
    }
}

extension OutboxEngine.Attempt {
    /// A random time below a doubling bound keeps clients from returning together.
    fileprivate mutating func delay(_ now: Duration, _ chance: Double) {
        count += 1
        let bound = min(Duration.seconds(1) * Double(1 << min(count - 1, 16)), OutboxEngine.longestWait)
        notBefore = now + bound * chance
    }
}

final class OutboxAlarm: Sendable {
    private struct State {
        var hasRung = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    func reset() { state.withLock { $0.hasRung = false } }

    func ring() {
        let waiter = state.withLock { state in
            state.hasRung = true
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    func wait(for duration: Duration?, _ time: TimeSource) async {
        let timer = duration.map { duration in
            Task {
                guard (try? await time.sleep(duration)) != nil else { return }
                ring()
            }
        }
        defer { timer?.cancel() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let hasRung = state.withLock { state in
                    if state.hasRung { return true }
                    state.waiter = continuation
                    return false
                }
                if hasRung { continuation.resume() }
            }
        } onCancel: {
            ring()
        }
    }
}

/// Allows one run at a time in this process, in all stores on the file.
final class OutboxGate: Sendable {
    private struct State {
        var isTaken = false
        var waiting: [(id: Int, continuation: CheckedContinuation<Bool, Never>)] = []
        var lastID = 0
    }

    private let state = Mutex(State())

    /// - Returns: false if the task was cancelled before its turn.
    func enter() async -> Bool {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isIn: Bool? = state.withLock { state in
                    if Task.isCancelled { return false }
                    if state.isTaken {
                        state.waiting.append((id, continuation))
                        return nil
                    }
                    state.isTaken = true
                    return true
                }
                if let isIn { continuation.resume(returning: isIn) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0).continuation }
            }
            waiter?.resume(returning: false)
        }
    }

    func leave() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            if state.waiting.isEmpty {
                state.isTaken = false
                return nil
            }
            return state.waiting.removeFirst().continuation
        }
        next?.resume(returning: true)
    }
}
