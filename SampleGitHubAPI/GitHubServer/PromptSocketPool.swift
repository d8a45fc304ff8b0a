import FlyingFox
import FlyingSocks
import Foundation

/// Switches Nagle's algorithm off. FlyingFox writes head and body of a reply one after the other, so the body would
/// wait 40 ms for the client's acknowledgement of the head. FlyingFox shows its sockets only to the pool.
struct PromptSocketPool: AsyncSocketPool {
    private let base: any AsyncSocketPool = HTTPServer.defaultPool()

    func prepare() async throws { try await base.prepare() }

    func run() async throws { try await base.run() }

    /// The listening socket waits here, and on Linux hands the option on to its connections.
    func suspendSocket(_ socket: Socket, untilReadyFor events: Socket.Events) async throws {
        // A socket that refuses the option is only slower.
        try? socket.setValue(true, for: BoolSocketOption(level: Int32(IPPROTO_TCP), name: TCP_NODELAY))
        try await base.suspendSocket(socket, untilReadyFor: events)
    }
}
