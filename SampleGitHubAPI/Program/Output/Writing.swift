import Foundation

/// Writes lines to standard output, at once.
///
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

/// Whether the reader has closed standard output, so that the next write would fail.
var isOutputClosed: Bool {
    var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
    // Safe: the call only fills in the struct, and keeps no pointer to it.
    return unsafe poll(&output, 1, 0) > 0 && output.revents & Int16(POLLERR | POLLHUP) != 0
}

/// Opens `/dev/null` for each of standard input, output and error that is closed. Otherwise the next file of this
/// process, such as a connection, would get the number, and the printed text. Writing still fails, as to a closed file.
func replaceClosedFiles() {
    for file in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(file, F_GETFD) == -1 {
        // It gets the lowest number that is free. Safe: the path lives as long as the call.
        _ = unsafe open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
}

/// Prints a message about an effect on standard error, which other programs don't read.
func note(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data("\(text.onOneLine)\n".utf8))
}

/// The reader has closed standard output: `| head -1`.
struct ClosedPipe: Error {}

private func outputError(_ number: Int32) -> any Error {
    if number == EPIPE { return ClosedPipe() }
    let reason = POSIXErrorCode(rawValue: number).map { POSIXError($0).localizedDescription } ?? "error \(number)"
    return CommandError(status: .ioFailed, message: "standard output can't be written: \(reason)")
}
