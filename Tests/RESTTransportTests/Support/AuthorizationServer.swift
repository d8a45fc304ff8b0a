import Foundation
import HTTPTypes
import RESTTransport
import Synchronization

/// An authorization server in memory: it answers forms, and records them.
final class AuthorizationServer: Transport {
    struct Reply: Sendable {
        var status = 200
        var json: String
    }

    private let answers: @Sendable (_ number: Int, [String: String]) async throws(TransportError) -> Reply
    private let noted = Mutex<[APIRequest]>([])

    /// The requests so far.
    var requests: [APIRequest] { noted.withLock { $0 } }

    /// Their forms.
    var forms: [[String: String]] { requests.map(Self.form) }

    init(_ answers: @escaping @Sendable (Int, [String: String]) async throws(TransportError) -> Reply) {
        self.answers = answers
    }

    /// Gives these answers in their order, and the last one ever after.
    convenience init(_ replies: Reply...) {
        self.init { number, _ in replies[min(number, replies.count - 1)] }
    }

    func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
        let number = noted.withLock { noted in
            noted.append(request)
            return noted.count - 1
        }
        let reply = try await answers(number, Self.form(request))
        return APIResponse(
            HTTPResponse(status: .init(code: reply.status)), body: Array(reply.json.utf8), to: request)
    }

    private static func form(_ request: APIRequest) -> [String: String] {
        let pairs = String(decoding: request.body?.bytes ?? [], as: UTF8.self).split(separator: "&").map { pair in
            pair.split(separator: "=", omittingEmptySubsequences: false).map { $0.removingPercentEncoding ?? "" }
        }
        return Dictionary(pairs.map { ($0[0], $0[1]) }) { first, _ in first }
    }
}

extension AuthorizationServer.Reply {
    /// Tokens, valid for an hour.
    static func tokens(_ access: String, refresh: String? = nil, expiresIn: Int? = 3600) -> Self {
        var members = [#""access_token":"\#(access)""#, #""token_type":"Bearer""#]
        if let refresh { members.append(#""refresh_token":"\#(refresh)""#) }
        if let expiresIn { members.append(#""expires_in":\#(expiresIn)"#) }
        return Self(json: "{\(members.joined(separator: ","))}")
    }

    static func error(_ code: String, _ description: String? = nil) -> Self {
        let text = description.map { #","error_description":"\#($0)""# } ?? ""
        return Self(status: 400, json: #"{"error":"\#(code)"\#(text)}"#)
    }
}
