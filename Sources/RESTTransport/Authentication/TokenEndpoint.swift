import HTTPTypes

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct TokenEndpoint: Sendable {
    typealias Form = [(name: String, value: String)]

    let client: OAuth2Client
    private let transport: any Transport

    init(_ client: OAuth2Client, _ transport: any Transport) { (self.client, self.transport) = (client, transport) }

    /// Requests tokens ([RFC 6749 §5](https://www.rfc-editor.org/rfc/rfc6749#section-5)).
    ///
    /// - Parameters:
    ///   - grant: The grant, for errors.
    ///   - secrets: Further texts to remove from the server's error messages.
    func tokens(
        _ form: Form, by grant: OAuth2Error.Grant, hiding secrets: [String]
    ) async throws(OAuth2Error) -> TokenReply {
        let request = client.request(client.tokenURL, form)
        let reply = try await reply(to: request, by: grant, hiding: secrets)
        guard reply.content.accessToken?.isEmpty == false else {
            throw OAuth2Error(grant, .unreadable(status: reply.status, "without an access token"))
        }
        guard reply.content.isBearer else {
            throw OAuth2Error(grant, .unreadable(status: reply.status, "with a token that is no bearer token"))
        }
        return reply.content
    }

    /// Requests a code for another device ([RFC 8628 §3.1](https://www.rfc-editor.org/rfc/rfc8628#section-3.1)).
    func deviceCode(at url: URL, _ form: Form) async throws(OAuth2Error) -> DeviceCode {
        let reply = try await reply(to: client.request(url, form), by: .device, hiding: [])
        guard let code = DeviceCode(reply.content) else {
            throw OAuth2Error(.device, .unreadable(status: reply.status, "without a device code, user code and URL"))
        }
        return code
    }

    /// The errors of RFC 6749 §5.2 and RFC 8628 §3.5, valid with any status.
    private static let refusals: Set = [
        "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type",
        "invalid_scope", "authorization_pending", "slow_down", "access_denied", "expired_token",
    ]

    private func reply(
        to request: APIRequest, by grant: OAuth2Error.Grant, hiding secrets: [String]
    ) async throws(OAuth2Error) -> (status: Int, content: TokenReply) {
        let reply: APIResponse
        do throws(TransportError) {
            reply = try await transport.send(request)
        } catch {
            throw OAuth2Error(grant, error.reason == .cancelled ? .cancelled : .unreachable(error))
        }
        let status = reply.status.code
        let content = try? JSONDecoder().decode(TokenReply.self, from: Data(reply.body))
        // Some servers send errors with status 200.
        if let code = content?.error {
            let shown = ServerWords(hiding: client.secrets + secrets)
            // Some frameworks write the status's name, such as "Internal Server Error".
            if status == 429 || status.isPassingFailure, !Self.refusals.contains(code) {
                throw OAuth2Error(grant, .unreadable(status: status, "with the error \(shown.text(code))"))
            }
            throw OAuth2Error(
                grant, .refused(code: shown.text(code), description: content?.errorDescription.map(shown.text)))
        }
        guard let content, reply.isSuccess else {
            throw OAuth2Error(grant, .unreadable(status: status, "and no JSON with tokens or an error"))
        }
        return (status, content)
    }
}

private struct ServerWords {
    private static let longest = 300
    private let secrets: [String]

    init(hiding secrets: [String]) { self.secrets = secrets.filter { !$0.isEmpty } }

    /// The server's words in one line, shortened, with secrets replaced.
    func text(_ words: String) -> String {
        var text = String(words.prefix(10 * Self.longest))
        for secret in secrets { text = text.replacing(secret, with: "REDACTED") }
        return String(
            text.map { $0.isNewline || $0.unicodeScalars.contains { $0.value < 0x20 } ? " " : $0 }
                .prefix(Self.longest))
    }
}

/// A member of an unexpected type counts as missing.
struct TokenReply: Decodable, Sendable {
    let accessToken: String?
    let refreshToken: String?
    /// The lifetime in seconds from the reply.
    let expiresIn: Int?
    let error: String?
    let errorDescription: String?
    let deviceCode: String?
    let userCode: String?
    let verificationURL: URL?
    let completeVerificationURL: URL?
    /// The seconds between two polls.
    let interval: Int?
    private let tokenType: String?

    /// Servers that omit the type mean `bearer`.
    var isBearer: Bool { tokenType.map { $0.lowercased() == "bearer" } ?? true }

    private enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case refreshToken = "refresh_token"
        case expiresIn = "expires_in"
        case tokenType = "token_type"
        case error
        case errorDescription = "error_description"
        case deviceCode = "device_code"
        case userCode = "user_code"
        case verificationURI = "verification_uri"
        case verificationURL = "verification_url"
        case completeVerificationURI = "verification_uri_complete"
        case interval
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        func text(_ key: CodingKeys) -> String? { try? members.decode(String.self, forKey: key) }
        func seconds(_ key: CodingKeys) -> Int? {
            let number = (try? members.decode(Double.self, forKey: key)) ?? text(key).flatMap(Double.init)
            // At most ten years, as dates would overflow.
            return number.flatMap { $0.isFinite ? Int(min(max($0, 0), 315_360_000)) : nil }
        }
        (accessToken, refreshToken, tokenType) = (text(.accessToken), text(.refreshToken), text(.tokenType))
        (error, errorDescription) = (text(.error), text(.errorDescription))
        (deviceCode, userCode) = (text(.deviceCode), text(.userCode))
        // `verification_url` is Google's name, older than the RFC.
        verificationURL = (text(.verificationURI) ?? text(.verificationURL)).flatMap { URL(string: $0) }
        completeVerificationURL = text(.completeVerificationURI).flatMap { URL(string: $0) }
        (expiresIn, interval) = (seconds(.expiresIn), seconds(.interval))
    }
}
