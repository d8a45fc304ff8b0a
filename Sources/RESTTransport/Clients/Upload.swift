#if canImport(AsyncHTTPClient) && !canImport(Darwin)
    import Synchronization

    /// The sending of one request's body, which ends with the request.
    ///
    /// AsyncHTTPClient reads a body in a task that it never cancels. Without an end of its own, a stream that has no
    /// further piece yet would wait after its request was cancelled.
    final class Upload: Sendable {
        private struct State {
            var reading: Task<[UInt8]?, any Error>?
            var hasEnded = false
        }

        private let state = Mutex(State())

        /// Cancels the read in progress, and each later one.
        func end() {
            let reading = state.withLock { state in
                state.hasEnded = true
                return state.reading
            }
            reading?.cancel()
        }

        /// Makes a read end with the upload.
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
        /// The rest of the body; nil while a piece is read, and afterwards if there is none.
        private var rest: BodyChunks.Iterator?

        init(_ chunks: BodyChunks, _ upload: Upload) {
            self.upload = upload
            waits = chunks.isStream
            rest = chunks.makeAsyncIterator()
        }

        /// Returns the next piece; nil at the end of the body.
        ///
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
