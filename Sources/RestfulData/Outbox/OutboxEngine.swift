import ObjectStore
import RESTTransport
import Synchronization

/// When a store's outbox sends: the one door for all that can start it.
///
/// ```
/// Outbox ── OutboxEngine          started or not, held back until when, who waits for news
///           └─ OutboxDrain        one run through the entries, on an actor and in a context of its own
///              ├─ OutboxVerdict   what becomes of an entry after an attempt
///              └─ OutboxScope     the entry that a task sends, for the request and the transaction of its reply
/// ```
final class OutboxEngine: Sendable {
    struct State {
        var isStarted = false
        var runner: Task<Void, Never>?
        /// Wakes the runner; each has its own.
        var alarm = OutboxAlarm()
        var watch: OutboxWatch?
        /// By entry: how often it has failed, and until when it isn't tried again.
        var attempts: [QueuedSubject: Attempt] = [:]
        /// By API: how often in a row nothing got through, and until when nothing is sent.
        var holds: [APIIndex: Attempt] = [:]
        /// By API: why nothing is sent until somebody says so.
        var pauses: [APIIndex: String] = [:]
        /// What is being sent.
        var sending: Set<QueuedSubject> = []
        var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
        var lastListener = 0
        var time = TimeSource.system
        /// Whether entries wait for other objects, which any change may bring.
        var hasBlocked = false
        /// How many commits may have made entries, as far as they were watched.
        var arrivals = 0
        /// How many entries are sent at a time; the API's own limits hold back more of them.
        var width = 8
    }

    struct Attempt {
        var count = 0
        /// By a clock that nobody sets.
        var notBefore = Duration.zero
    }

    private let state = Mutex(State())

    /// The first wait is up to a second, and each further one up to twice as long, at most five minutes.
    static let longestWait = Duration.seconds(300)

    deinit {
        let (runner, watch) = state.withLock { ($0.runner, $0.watch) }
        runner?.cancel()
        watch?.end()
    }

    func read<Value: Sendable>(_ body: (inout State) -> Value) -> Value { state.withLock { state in body(&state) } }

    /// The clock and the chance of waiting times.
    var time: TimeSource {
        get { state.withLock { $0.time } }
        set { state.withLock { $0.time = newValue } }
    }

    // MARK: Starting

    /// Sends whatever is queued from now on, until ``stop()`` or the end of the store.
    func start(_ file: StoreFile) {
        let alarm = OutboxAlarm()
        let isNew = state.withLock { state in
            if state.isStarted { return false }
            (state.isStarted, state.alarm) = (true, alarm)
            return true
        }
        guard isNew else { return wake() }
        watch(file)
        // Between two runs nothing here keeps the file open.
        let runner = Task { [weak self, weak file, time] in
            while !Task.isCancelled {
                alarm.reset()
                guard let wait = await Self.run(self, file, by: alarm) else { return }
                await alarm.wait(for: wait.duration, time)
            }
        }
        state.withLock { $0.runner = runner }
    }

    /// How long a runner waits; without a duration until it is woken.
    private struct Wait {
        var duration: Duration?
    }

    /// - Returns: nil when the store has ended or the outbox was stopped.
    private static func run(_ engine: OutboxEngine?, _ file: StoreFile?, by alarm: OutboxAlarm) async -> Wait? {
        guard let engine, let file, !file.isClosed, engine.read({ $0.isStarted && $0.alarm === alarm }) else {
            return nil
        }
        let report = await OutboxDrain(file, engine).run(isAutomatic: true)
        return Wait(duration: engine.nextWait(after: report))
    }

    /// Ends that. Requests that are on their way end first.
    func stop() {
        state.withLock { state in (state.isStarted, state.runner) = (false, nil) }
        wake()
    }

    /// Runs soon: something was queued, or a wait is over.
    func wake() { read(\.alarm).ring() }

    /// How long nothing can be sent; nil until something happens.
    private func nextWait(after report: OutboxReport) -> Duration? {
        // Another process sends; when it ends without a word, nobody tells.
        if report.isBusy { return .seconds(5) }
        return report.nextAttempt.map { max($0 - time.elapsed(), .zero) }
    }

    // MARK: News

    /// Tells listeners of each change of the outbox, and wakes the engine.
    func watch(_ file: StoreFile) {
        let isWatching = state.withLock { $0.watch != nil }
        guard !isWatching else { return }
        let watch = OutboxWatch(file) { [weak self] change in
            guard let self else { return }
            let concernsOutbox = state.withLock { state in
                if change == .newEntries { state.arrivals += 1 }
                return change != .rows || state.hasBlocked
            }
            guard concernsOutbox else { return }
            if change != .rows { tell() }
            wake()
        }
        state.withLock { $0.watch = watch }
    }

    func tell() { for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield() } }

    /// A value now, and whenever the outbox has changed.
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

    func isSending(_ subject: QueuedSubject) -> Bool { state.withLock { $0.sending.contains(subject) } }

    /// When an entry can be tried.
    enum Due: Equatable {
        case now
        /// At this time, or after it.
        case later(Duration)
        /// When somebody says so.
        case never
    }

    /// - Parameter subject: nil for any entry of the API.
    func due(_ subject: QueuedSubject?, to api: APIIndex) -> Due {
        let now = time.elapsed()
        return state.withLock { state in
            if state.pauses[api] != nil { return .never }
            let times = [subject.flatMap { state.attempts[$0] }, state.holds[api]].compactMap { $0?.notBefore }
            guard let last = times.max(), last > now else { return .now }
            return .later(last)
        }
    }

    func note(_ verdict: OutboxVerdict, of subject: QueuedSubject, to api: APIIndex) {
        let (now, chance) = (time.elapsed(), time.fraction())
        state.withLock { state in
            switch verdict {
            case .done, .takenBack, .reject, .wait:
                state.attempts[subject] = nil
                // Requests that were sent before end while others are held back.
                if let hold = state.holds[api], hold.notBefore <= now { state.holds[api] = nil }
            case .later: state.attempts[subject, default: Attempt()].delay(now, chance)
            case .hold(let wait):
                state.holds[api, default: Attempt()].delay(now, chance)
                if let wait { state.holds[api]?.notBefore = now + wait + wait / 10 * chance }
            case .pause(let reason): state.pauses[api] = reason
            case .stop: break
            }
        }
    }

    /// Forgets all waiting times: the network may be back, or there are other credentials.
    func forgetWaits() {
        state.withLock { state in (state.attempts, state.holds, state.pauses) = ([:], [:], [:]) }
        wake()
    }
}

extension OutboxEngine.Attempt {
    /// Waits a random time up to a bound that doubles, so that clients that failed together don't return together.
    fileprivate mutating func delay(_ now: Duration, _ chance: Double) {
        count += 1
        let bound = min(Duration.seconds(1) * Double(1 << min(count - 1, 16)), OutboxEngine.longestWait)
        notBefore = now + bound * chance
    }
}

/// Wakes a runner that waits.
final class OutboxAlarm: Sendable {
    private struct State {
        /// Whether it has rung since the last run began.
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

    /// Waits until it rings or the time has passed.
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

/// Lets one run at a time go through the entries, of all stores that have the file open.
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
