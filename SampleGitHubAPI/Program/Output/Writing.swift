import Foundation

/// - Throws: `ClosedPipe` if the reader has closed the pipe.
func write(_ lines: [String]) throws {
    guard !lines.isEmpty else { return }
    var rest = Array((lines.joined(separator: "\n") + "\n").utf8)[...]
    while !rest.isEmpty {
        // Safe: the buffer lives as long as the call, which only reads it.
        let count = unsafe rest.withUnsafeBytes { unsafe Foundation.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
        if count >= 0 {
            rest = rest.dropFirst(count)
        } else if errno != EINTR {
            throw outputError(errno)
        }
    }
}

/// Whether the reader has closed standard output.
var isOutputClosed: Bool {
    var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
    // Safe: the call only fills in the struct, and keeps no pointer to it.
    return unsafe poll(&output, 1, 0) > 0 && output.revents & Int16(POLLERR | POLLHUP) != 0
}

/// Opens `/dev/null` for closed standard files, whose numbers the next connection would get, with the printed text.
/// Writing still fails.
func replaceClosedFiles() {
    for file in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(file, F_GETFD) == -1 {
        // It gets the lowest number that is free. Safe: the path lives as long as the call.
        _ = unsafe open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
}

/// Tells of an effect on standard error, which other programs leave alone.
func note(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data("\(text.onOneLine)\n".utf8))
}

/// As by `| head -1`.
struct ClosedPipe: Error {}

private func outputError(_ number: Int32) -> any Error {
    if number == EPIPE { return ClosedPipe() }
    let reason = POSIXErrorCode(rawValue: number).map { POSIXError($0).localizedDescription } ?? "error \(number)"
    return CommandError(status: .ioFailed, message: "standard output can't be written: \(reason)")
}
