import Foundation

/// A port of this machine that refuses connections: as long as this lives, no server listens at it.
package final class SilentPort: Sendable {
    private let descriptor: Int32

    /// - Parameter base: the URL of a server that has stopped.
    package init(of base: String) throws {
        guard let port = URL(string: base)?.port.flatMap(UInt16.init(exactly:)) else { throw URLError(.badURL) }
        #if canImport(Darwin)
            descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        // The server's connections may not have been forgotten yet.
        var isReused: Int32 = 1
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isReused, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, length) == 0
            }
        }
        guard isBound else {
            let reason = errno
            close(descriptor)
            throw POSIXError(POSIXErrorCode(rawValue: reason) ?? .EADDRINUSE)
        }
    }

    deinit { close(descriptor) }
}
