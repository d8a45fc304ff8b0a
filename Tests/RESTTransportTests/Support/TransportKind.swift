import Foundation
import HTTPTypes
import RESTTransport
import TestSupport
import Testing

/// The transports that the conformance tests hold to one behaviour.
enum TransportKind: String, CaseIterable, Codable, CustomTestStringConvertible {
    case client
    case chain

    var testDescription: String { rawValue }

    func make(responseLimit: Int = 1 << 20, redirects: FollowRedirects = FollowRedirects()) -> any Transport {
        #if canImport(Darwin)
            let client = HTTPTransport(responseLimit: responseLimit, redirects: redirects)
        #else
            let client = HTTPTransport(responseLimit: responseLimit, connectTimeout: patience, redirects: redirects)
        #endif
        switch self {
        case .client: return client
        case .chain:
            return TransportChain(api: URL(filePath: "/"), transport: client) {
                Headers([:])
                RequestHistory()
            }
        }
    }
}
