import HTTPTypes

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A program that is registered at an authorization server, and the URL of its tokens
/// ([RFC 6749 §2](https://www.rfc-editor.org/rfc/rfc6749#section-2)).
public struct OAuth2Client: Sendable {
    /// The part of a token request that contains the client's id and secret
    /// ([RFC 6749 §2.3.1](https://www.rfc-editor.org/rfc/rfc6749#section-2.3.1)).
    public enum SecretPlace: Sendable, Hashable {
        /// In `Authorization: Basic …`, which every server must support.
        case authorization
        /// In the body, as `client_id` and `client_secret`.
        case body
    }

    /// The client's id.
    public let id: String
    /// The token endpoint.
    public let tokenURL: URL
    private let secret: String?
    private let secretPlace: SecretPlace
    private let parameters: [String: String]

    /// Describes a client.
    ///
    /// - Parameters:
    ///   - secret: The secret; nil for a program on users' machines, which can't keep one.
    ///   - place: The place of id and secret. An id alone is sent in the body.
    ///   - tokenURL: The token endpoint, an `https` URL.
    ///   - parameters: Further parameters of each token request, such as `audience` or `resource`.
    public init(
        id: String, secret: String? = nil, in place: SecretPlace = .authorization, tokenURL: URL,
        parameters: [String: String] = [:]
    ) {
        (self.id, self.secret, secretPlace) = (id, secret, place)
        (self.tokenURL, self.parameters) = (tokenURL, parameters)
    }

    /// A POST that refuses redirects, because its form may contain secrets.
    func request(_ url: URL, _ form: [(name: String, value: String)]) -> APIRequest {
        var form = form + parameters.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
        let isInHead = secret != nil && secretPlace == .authorization
        if !isInHead { form.append(("client_id", id)) }
        if let secret, !isInHead { form.append(("client_secret", secret)) }
        let text = form.map { "\($0.name.percentEncoded)=\($0.value.percentEncoded)" }.joined(separator: "&")
        var request = APIRequest(
            .post, url, headerFields: [.accept: "application/json"],
            body: .text(text, type: "application/x-www-form-urlencoded"))
        if let secret, isInHead {
            let login = Data("\(id.percentEncoded):\(secret.percentEncoded)".utf8)
            request.headerFields[.authorization] = "Basic " + login.base64EncodedString()
        }
        request.chainState.staysAtURL = true
        return request
    }

    /// Texts to remove from error messages.
    var secrets: [String] { [secret].compactMap(\.self) }
}

extension OAuth2Client: CustomStringConvertible, CustomReflectable {
    /// The type's name.
    public var description: String { "OAuth2Client" }

    /// The description alone.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
}
