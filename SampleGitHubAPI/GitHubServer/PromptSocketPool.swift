import FlyingFox
import FlyingSocks
import Foundation

/// FlyingFox's own pool, with Nagle's algorithm switched off for its sockets.
///
/// FlyingFox writes the head and the body of a reply one after the other. With Nagle's algorithm the body waits until
/// the client has acknowledged the head, which takes the client 40 ms on every request of a kept connection. The pool
/// is the one place at which FlyingFox shows its sockets.
struct PromptSocketPool: AsyncSocketPool {
    private let base: any AsyncSocketPool = HTTPServer.defaultPool()

    func prepare() async throws { try await base.prepare() }

    func run() async throws { try await base.run() }

    /// The listening socket waits here before it accepts, and on Linux hands the option on to its connections.
    func suspendSocket(_ socket: Socket, untilReadyFor events: Socket.Events) async throws {
        // A socket that refuses the option is slower, and as good.
        try? socket.setValue(true, for: BoolSocketOption(level: Int32(IPPROTO_TCP), name: TCP_NODELAY))
        try await base.suspendSocket(socket, untilReadyFor: events)
    }
}
