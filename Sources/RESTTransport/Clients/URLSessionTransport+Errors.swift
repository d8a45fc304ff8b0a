#if !canImport(AsyncHTTPClient) || canImport(Darwin)
    import Foundation

    #if canImport(FoundationNetworking)
        import FoundationNetworking
    #endif

    extension TransportError {
        /// The one error type made of whatever the session reports.
        ///
        /// Only codes are looked at: the session's own texts quote the URL.
        init(_ error: any Error, of request: APIRequest) {
            self.init(Self.reason(of: error), request)
        }

        private static func reason(of error: any Error) -> Reason {
            guard let error = error as? URLError else { return .other("the client failed with \(type(of: error))") }
            return switch error.code {
            case .cancelled: .cancelled
            case .cannotConnectToHost: .connectionRefused
            case .cannotFindHost, .dnsLookupFailed: .connectionFailed("there is no such host")
            case .notConnectedToInternet: .connectionFailed("there is no network")
            case .timedOut: .connectionFailed("nobody answered in time")
            case .networkConnectionLost: .connectionLost
            case .badServerResponse, .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData,
                .zeroByteResource:
                .malformedResponse("code \(error.code.rawValue)")
            case .badURL, .unsupportedURL: .invalidURL("code \(error.code.rawValue)")
            case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
                .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
                .clientCertificateRequired, .appTransportSecurityRequiresSecureConnection:
                .tls("code \(error.code.rawValue)")
            default: .other("the client failed with code \(error.code.rawValue)")
            }
        }
    }
#endif
