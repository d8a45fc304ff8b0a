import FlyingFox
import FlyingSocks
import Synchronization

/// A small GitHub that listens on this machine: users, repositories, issues, labels, milestones and comments, kept in
/// memory and spoken of in the shapes, statuses and headers of GitHub's REST API.
///
/// ```swift
/// let server = GitHubServer()
/// try await server.start()
/// print(server.baseURL)       // http://127.0.0.1:49152
/// …
/// await server.stop()
/// ```
///
/// Requests may come from any number of connections; each is carried out whole before the next.
public final class GitHubServer: Sendable {
    struct State: Sendable {
        var service: Service
        var log: [RecordedRequest] = []
        var faults: [PlannedFault] = []
        var running: Running?
        var isStarting = false

        mutating func beginStart() -> Bool {
            guard running == nil, !isStarting else { return false }
            isStarting = true
            return true
        }
    }

    struct Running: Sendable {
        let server: HTTPServer
        let task: Task<Void, any Error>
    }

    let state: Mutex<State>

    /// Creates a server. ``start(port:)`` starts it.
    ///
    /// - Parameters:
    ///   - seed: The initial data.
    ///   - token: octocat's token. The server replies 401 to any other token, and to writes that lack it. If nil, all
    ///     requests act as octocat, with any token or none.
    ///   - clock: The source of the server's time.
    public init(seed: Fixtures = .demo, token: String? = nil, clock: ServerClock = .reproducible) {
        state = Mutex(State(service: Service(seed, clock: clock, token: token)))
    }

    /// Where it listens, such as `http://127.0.0.1:49152`; empty until it was started. Kept after `stop()`.
    public var baseURL: String { state.withLock { $0.service.baseURL } }

    /// All requests received so far, oldest first.
    public var requests: [RecordedRequest] { state.withLock { $0.log } }

    /// Forgets the requests received so far.
    public func forgetRequests() { state.withLock { $0.log = [] } }

    /// Makes the next requests go wrong. Faults wait in line: a request meets the first that fits it, and only that.
    ///
    /// - Parameters:
    ///   - fault: The fault to cause.
    ///   - times: for how many requests.
    ///   - method: only for requests with this method; nil for all.
    ///   - path: The first part of the paths of affected requests; nil for all requests.
    public func inject(_ fault: Fault, times: Int = 1, method: String? = nil, path: String? = nil) {
        state.withLock {
            $0.faults.append(PlannedFault(fault: fault, times: times, method: method, path: path))
        }
    }

    /// Forgets the faults that still wait.
    public func clearFaults() { state.withLock { $0.faults = [] } }

    /// Limits the requests in each window, as GitHub does: further ones get a 403. Each reply has the remaining number
    /// and the end of the window. A 304 is free.
    ///
    /// - Parameters:
    ///   - limit: how many requests are allowed.
    ///   - resource: `core`, or `search`.
    ///   - window: how long they are for, by the machine's clock; the first one begins now.
    public func limit(to limit: Int, of resource: String = "core", every window: Duration) {
        state.withLock { $0.service.enforce(limit, of: resource, every: window) }
    }

    /// Listens on the loopback interface and returns when connections are accepted.
    ///
    /// The server stays alive until ``stop()``, even if you release it.
    ///
    /// - Parameter port: the port; 0 for any that is free.
    /// - Throws: a `SocketError` where the port is taken. `StartError.isRunning` where it listens already.
    public func start(port: UInt16 = 0) async throws {
        guard state.withLock({ $0.beginStart() }) else { throw StartError.isRunning }
        defer { state.withLock { $0.isStarting = false } }
        let server = HTTPServer(
            address: try .inet(ip4: "127.0.0.1", port: port), timeout: GitHubServer.longestDelay,
            pool: PromptSocketPool(), logger: .disabled,
            handler: ClosureHTTPHandler { [self] in try await handle($0) })
        let running = Running(server: server, task: try await GitHubServer.run(server))
        guard case .ip4(_, let port)? = await server.listeningAddress else {
            await server.stop()
            throw StartError.hasNoAddress
        }
        state.withLock {
            $0.running = running
            $0.service.baseURL = "http://127.0.0.1:\(port)"
        }
    }

    /// Closes all connections and stops listening. The server keeps its data. Has no effect on a stopped server.
    public func stop() async {
        let running = state.withLock { state in
            defer { state.running = nil }
            return state.running
        }
        guard let running else { return }
        await running.server.stop()
        _ = await running.task.result
    }

    /// The reason why a server failed to start, apart from errors of the socket.
    public enum StartError: Error {
        case isRunning, hasNoAddress
    }

    /// In seconds: FlyingFox's limit for a reply, and so for `Fault.delay`.
    private static let longestDelay = 3_600.0

    /// Waits until the server listens, or throws the error that stops it.
    private static func run(_ server: HTTPServer) async throws -> Task<Void, any Error> {
        let listening = Task { try await server.waitUntilListening(timeout: 60) }
        let task = Task {
            defer { listening.cancel() }
            try await server.run()
        }
        do {
            try await listening.value
            return task
        } catch {
            task.cancel()
            try await task.value
            throw error
        }
    }
}
