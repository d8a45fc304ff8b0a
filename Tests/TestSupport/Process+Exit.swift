#if os(Linux) || os(macOS)
    package import Foundation

    extension Process {
        /// Starts the process and waits for its end without holding a thread.
        package func statusAtExit() async throws -> Int32 {
            try await withCheckedThrowingContinuation { done in
                terminationHandler = { done.resume(returning: $0.terminationStatus) }
                do { try run() } catch { done.resume(throwing: error) }
            }
        }
    }
#endif
