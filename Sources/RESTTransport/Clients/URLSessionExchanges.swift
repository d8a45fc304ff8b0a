#if !canImport(AsyncHTTPClient) || canImport(Darwin)
    import Foundation
    import HTTPTypes
    import Synchronization

    #if canImport(FoundationNetworking)
        import FoundationNetworking
    #endif

    /// The exchanges of one session that are in flight.
    final class URLSessionExchanges: NSObject, URLSessionDataDelegate, Sendable {
        typealias Answer = Result<APIResponse, TransportError>

        private struct Exchange {
            let request: APIRequest
            /// Nil after it was resumed.
            var continuation: CheckedContinuation<Answer, Never>?
            /// Receives the pieces of a body whose head was delivered.
            var channel: PieceChannel?
            var body: [UInt8] = []
            var isTooLarge = false
            /// Nil unless the body goes to a file.
            var transfer: Transfer?
            var failure: TransportError.Reason?
            var phases = RequestPhases()
        }

        private let responseLimit: Int
        private let challenge: URLSessionTransport.ChallengeHandler?
        private let underWay = Mutex<[Int: Exchange]>([:])

        init(responseLimit: Int, challenge: URLSessionTransport.ChallengeHandler?) {
            (self.responseLimit, self.challenge) = (responseLimit, challenge)
        }

        /// Starts a task. The continuation is resumed once, when the task completes.
        func begin(
            _ task: URLSessionDataTask, for request: APIRequest,
            resuming continuation: CheckedContinuation<Answer, Never>
        ) {
            let isUnderWay = underWay.withLock { underWay -> Bool in
                // A cancelled task may complete before it is registered here. A later cancellation takes the same lock.
                if Task.isCancelled { return false }
                underWay[task.taskIdentifier] = Exchange(request: request, continuation: continuation)
                return true
            }
            guard isUnderWay else {
                continuation.resume(returning: .failure(TransportError(.cancelled, request)))
                return
            }
            task.resume()
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didReceive question: URLAuthenticationChallenge,
            completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            guard let challenge else { return completionHandler(.performDefaultHandling, nil) }
            Task {
                let (disposition, credential) = await challenge(question)
                if disposition == .cancelAuthenticationChallenge {
                    // The session reports the refusal as a cancellation.
                    note(TransportError.Reason(refusing: question.protectionSpace), of: task)
                }
                completionHandler(disposition, credential)
            }
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {
            // FollowRedirects decides whether to follow it.
            completionHandler(nil)
        }

        func urlSession(
            _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
            completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
        ) {
            let head = response as? HTTPURLResponse
            let status = head?.statusCode ?? 0
            if let head, deliverPieces(of: head, from: dataTask) { return completionHandler(.allow) }
            if let head, let request = underWay.withLock({ $0[dataTask.taskIdentifier]?.request }),
                let transfer = request.transfer
            {
                do {
                    let goesToFile = try transfer.begin(HTTPResponse(head, isRaw: true), to: request)
                    underWay.withLock { $0[dataTask.taskIdentifier]?.transfer = goesToFile ? transfer : nil }
                    if goesToFile { return completionHandler(.allow) }
                } catch {
                    fail(dataTask, by: error)
                    return completionHandler(.cancel)
                }
            }
            let isTooLarge = underWay.withLock { underWay -> Bool in
                guard response.expectedContentLength > Int64(responseLimit), ![204, 304].contains(status),
                    let exchange = underWay[dataTask.taskIdentifier], exchange.request.method != .head
                else { return false }
                underWay[dataTask.taskIdentifier]?.isTooLarge = true
                return true
            }
            completionHandler(isTooLarge ? .cancel : .allow)
            if isTooLarge { dataTask.cancel() }
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
            totalBytesExpectedToSend: Int64
        ) {
            let request = underWay.withLock { $0[task.taskIdentifier]?.request }
            let total = totalBytesExpectedToSend > 0 ? Int(totalBytesExpectedToSend) : request?.body?.length
            request?.transfer?.noteSent(Int(totalBytesSent), of: total)
        }

        /// If the request takes the body in pieces, resumes the caller with the head.
        ///
        /// - Returns: Whether the caller was resumed.
        private func deliverPieces(of head: HTTPURLResponse, from task: URLSessionDataTask) -> Bool {
            guard let exchange = underWay.withLock({ $0[task.taskIdentifier] }),
                let continuation = exchange.continuation,
                exchange.request.takesPieces(of: HTTPResponse(head, isRaw: true)),
                (try? exchange.request.transfer?.begin(HTTPResponse(head, isRaw: true), to: exchange.request)) != true
            else { return false }
            let channel = PieceChannel(
                to: exchange.request,
                from: .init(
                    pause: { task.suspend() }, resume: { task.resume() }, cancel: { task.cancel() }))
            underWay.withLock { underWay in
                underWay[task.taskIdentifier]?.channel = channel
                underWay[task.taskIdentifier]?.continuation = nil
            }
            var response = APIResponse(HTTPResponse(head), to: exchange.request)
            response.pieces = BodyPieces(channel.pieces, to: exchange.request)
            continuation.resume(returning: .success(response))
            return true
        }

        private func fail(_ task: URLSessionTask, by error: any Error) {
            let reason = (error as? TransferFailure)?.reason ?? .other("\(type(of: error))")
            note(reason, of: task)
            task.cancel()
        }

        /// Records the reason of a cancellation that the session is about to report.
        private func note(_ reason: TransportError.Reason, of task: URLSessionTask) {
            underWay.withLock { $0[task.taskIdentifier]?.failure = reason }
        }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            if let channel = underWay.withLock({ $0[dataTask.taskIdentifier]?.channel }) { return channel.push(data) }
            if let transfer = underWay.withLock({ $0[dataTask.taskIdentifier]?.transfer }) {
                do {
                    // Safe: the bytes stay in place while the closure runs.
                    return try unsafe data.withUnsafeBytes { try unsafe transfer.write($0) }
                } catch {
                    return fail(dataTask, by: error)
                }
            }
            underWay.withLock { $0[dataTask.taskIdentifier]?.request.transfer }?.noteReceived(data.count)
            let isTooLarge = underWay.withLock { underWay -> Bool in
                guard let received = underWay[dataTask.taskIdentifier]?.body.count else { return false }
                guard data.count <= responseLimit - received else {
                    underWay[dataTask.taskIdentifier]?.isTooLarge = true
                    underWay[dataTask.taskIdentifier]?.body = []
                    return true
                }
                underWay[dataTask.taskIdentifier]?.body.append(contentsOf: data)
                return false
            }
            if isTooLarge { dataTask.cancel() }
        }

        #if canImport(Darwin)
            func urlSession(
                _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
            ) {
                guard let exchange = metrics.transactionMetrics.last else { return }
                underWay.withLock { $0[task.taskIdentifier]?.phases = RequestPhases(exchange) }
            }
        #endif

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            let ended = underWay.withLock { $0.removeValue(forKey: task.taskIdentifier) }
            guard let ended else { return }
            if let channel = ended.channel {
                return channel.finish(error.map { TransportError($0, of: ended.request) })
            }
            ended.continuation?.resume(
                returning: answer(of: ended, head: task.response as? HTTPURLResponse, error: error))
        }

        private func answer(of exchange: Exchange, head: HTTPURLResponse?, error: (any Error)?) -> Answer {
            let request = exchange.request
            if exchange.isTooLarge {
                return .failure(TransportError(.tooLarge(limit: responseLimit), request))
            }
            if let failure = exchange.failure { return .failure(TransportError(failure, request)) }
            if let error { return .failure(TransportError(error, of: request)) }
            guard let head else {
                return .failure(TransportError(.malformedResponse("it has no head"), request))
            }
            var response = APIResponse(HTTPResponse(head), body: exchange.body, to: request)
            response.phases = exchange.phases
            if let transfer = exchange.transfer {
                do { try transfer.end() } catch {
                    let reason = (error as? TransferFailure)?.reason ?? .connectionLost
                    return .failure(TransportError(reason, request))
                }
                response.file = transfer.file
            }
            return .success(response)
        }
    }

    #if canImport(Darwin)
        extension RequestPhases {
            /// Skipped phases lack dates.
            fileprivate init(_ exchange: URLSessionTaskTransactionMetrics) {
                self.init()
                let lookup = exchange.domainLookupStartDate ?? exchange.connectStartDate
                connecting =
                    exchange.isReusedConnection ? .zero : Self.time(from: lookup, to: exchange.connectEndDate)
                sending = Self.time(from: exchange.requestStartDate, to: exchange.requestEndDate)
                waiting = Self.time(from: exchange.requestEndDate, to: exchange.responseStartDate)
                receiving = Self.time(from: exchange.responseStartDate, to: exchange.responseEndDate)
                bytesSent = Int(exchange.countOfRequestBodyBytesSent)
                bytesReceived = Int(exchange.countOfResponseBodyBytesReceived)
                httpVersion = exchange.networkProtocolName.map { name in
                    name.hasPrefix("h") && !name.contains("/") ? "HTTP/\(name.dropFirst())" : name.uppercased()
                }
            }

            private static func time(from start: Date?, to end: Date?) -> Duration? {
                guard let start, let end else { return nil }
                return .seconds(max(0, end.timeIntervalSince(start)))
            }
        }
    #endif

    extension TransportError.Reason {
        /// The reason if the app's handler has refused the challenge.
        fileprivate init(refusing space: URLProtectionSpace) {
            switch space.authenticationMethod {
            #if canImport(Darwin)
                case NSURLAuthenticationMethodServerTrust:
                    self = .tls("the challenge handler refused the server's certificate")
                case NSURLAuthenticationMethodClientCertificate:
                    self = .tls("the challenge handler presented no certificate")
            #endif
            default: self = .credentialUnavailable("the challenge handler refused to sign in")
            }
        }
    }

    extension HTTPResponse {
        /// The head without the fields of the compressed body, unless it is raw.
        fileprivate init(_ head: HTTPURLResponse, isRaw: Bool = false) {
            var fields = HTTPFields()
            for (name, value) in head.allHeaderFields {
                guard let name = (name as? String).flatMap({ HTTPField.Name($0) }), let value = value as? String else {
                    continue
                }
                fields.append(HTTPField(name: name, value: value))
            }
            if !isRaw, let encoding = fields[.contentEncoding]?.lowercased(),
                ["gzip", "deflate", "br"].contains(encoding)
            {
                fields[.contentEncoding] = nil
                fields[.contentLength] = nil
            }
            let code = (0...999).contains(head.statusCode) ? head.statusCode : 999
            self.init(status: Status(code: code), headerFields: fields)
        }
    }
#endif
