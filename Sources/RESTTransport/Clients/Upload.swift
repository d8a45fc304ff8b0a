#if canImport(AsyncHTTPClient) && !canImport(Darwin)
    import Synchronization

    /// Ends the sending of a body with its request.
    ///
    /// AsyncHTTPClient never cancels the task that reads a body, so a stream without a further piece would wait after
    /// its request was cancelled.
    final class Upload: Sendable {
        private struct State {
            var reading: Task<[UInt8]?, any Error>?
            var hasEnded = false
        }

        private let state = Mutex(State())

        func end() {
            let reading = state.withLock { state in
                state.hasEnded = true
                return state.reading
            }
            reading?.cancel()
        }

        fileprivate func follow(_ reading: Task<[UInt8]?, any Error>) {
            let hasEnded = state.withLock { state in
                state.reading = reading
                return state.hasEnded
            }
            if hasEnded { reading.cancel() }
        }

        fileprivate func forgetReading() { state.withLock { $0.reading = nil } }
    }

    /// Reads a body's pieces until its upload ends.
    actor ChunkReader {
        private let upload: Upload
        private let waits: Bool
        /// Nil while a piece is read, and at the end.
        private var rest: BodyChunks.Iterator?

        init(_ chunks: BodyChunks, _ upload: Upload) {
            self.upload = upload
            waits = chunks.isStream
            rest = chunks.makeAsyncIterator()
        }

        /// - Throws: `CancellationError` if the upload has ended; an error of reading the body.
        func next() async throws -> [UInt8]? {
            // Memory and files have their pieces at once.
            guard waits else { return try await read() }
            let reading = Task { try await read() }
            upload.follow(reading)
            defer { upload.forgetReading() }
            return try await reading.value
        }

        private func read() async throws -> [UInt8]? {
            guard var taken = rest else { return nil }
            rest = nil
            try Task.checkCancellation()
            guard let piece = try await taken.next() else {
                // A cancelled stream may end as if it were complete.
                try Task.checkCancellation()
                return nil
            }
            rest = taken
            return piece
        }
    }
#endif
