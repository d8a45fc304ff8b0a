import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// An HTTP server on loopback that is faster than its clients: `GET /1000` answers with 1,000 bytes, and any other
/// request reads its body and gets an empty answer. Each connection has a thread.
enum FileServer {
    /// Serves until the process ends, and prints the port.
    static func run() -> Never {
        signal(SIGPIPE, SIG_IGN)
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(listener, address, length) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        guard isBound else { fatalError("no port is free") }
        print(UInt16(bigEndian: address.sin_port))
        fflush(nil)
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { continue }
            Thread.detachNewThread { serve(connection) }
        }
    }

    private static func serve(_ connection: Int32) {
        defer { close(connection) }
        var one: Int32 = 1
        unsafe setsockopt(connection, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        var buffer = [UInt8](repeating: 0x78, count: 1 << 20)
        var pending: [UInt8] = []
        while let head = readHead(connection, &pending) {
            let lines = head.split(separator: "\r\n")
            let words = (lines.first ?? "").split(separator: " ")
            if words.first == "GET" {
                let count = Int(words[1].dropFirst()) ?? 0
                write(connection, Array("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n".utf8)[...])
                var rest = count
                while rest > 0 {
                    guard write(connection, buffer.prefix(min(rest, buffer.count))) else { return }
                    rest -= min(rest, buffer.count)
                }
            } else {
                let field = lines.first { $0.lowercased().hasPrefix("content-length:") }
                var rest = Int(field?.split(separator: " ").last ?? "0") ?? 0
                if lines.contains(where: { $0.lowercased() == "expect: 100-continue" }) {
                    write(connection, Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)[...])
                }
                let early = min(rest, pending.count)
                pending.removeFirst(early)
                rest -= early
                while rest > 0 {
                    let count = unsafe read(connection, &buffer, min(rest, buffer.count))
                    guard count > 0 else { return }
                    rest -= count
                }
                write(connection, Array("HTTP/1.1 204 No Content\r\n\r\n".utf8)[...])
            }
        }
    }

    private static func readHead(_ connection: Int32, _ pending: inout [UInt8]) -> String? {
        let end = Array("\r\n\r\n".utf8)
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            if let place = pending.indices.first(where: { pending[$0...].starts(with: end) }) {
                let head = String(decoding: pending[..<place], as: UTF8.self)
                pending.removeFirst(place + end.count)
                return head
            }
            let count = unsafe read(connection, &buffer, buffer.count)
            guard count > 0 else { return nil }
            pending += buffer[..<count]
        }
    }

    @discardableResult
    private static func write(_ connection: Int32, _ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            // The bytes stay for as long as the closure runs.
            let count = unsafe rest.withUnsafeBytes { unsafe Foundation.write(connection, $0.baseAddress, $0.count) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
