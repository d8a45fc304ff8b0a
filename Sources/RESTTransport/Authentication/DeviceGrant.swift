#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What a user needs in order to sign in on another device: open the URL there, and enter the code.
///
/// Its description shows neither.
public struct DevicePrompt: Sendable, Hashable {
    /// The code to enter.
    public let userCode: String
    /// Where to enter it.
    public let verificationURL: URL
    /// The same with the code in it, for a QR code or a link; nil if the server gave none.
    public let completeVerificationURL: URL?
    /// How long the code is valid.
    public let lifetime: Duration
}

extension DevicePrompt: CustomStringConvertible, CustomReflectable {
    /// The type's name alone.
    public var description: String { "DevicePrompt" }

    /// What `dump` shows: the description.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
}

/// The code that a device asks for tokens with, until the user has signed in elsewhere.
struct DeviceCode: Sendable {
    let code: String
    let prompt: DevicePrompt
    let interval: Duration

    /// - Returns: nil for a reply that lacks one of the required members.
    init?(_ reply: TokenReply) {
        guard let code = reply.deviceCode, let userCode = reply.userCode, let url = reply.verificationURL else {
            return nil
        }
        self.code = code
        interval = .seconds(reply.interval ?? 5)
        // The RFC requires it; without it, as long as most servers allow.
        let lifetime = Duration.seconds(reply.expiresIn ?? 900)
        prompt = DevicePrompt(
            userCode: userCode, verificationURL: url, completeVerificationURL: reply.completeVerificationURL,
            lifetime: lifetime)
    }
}

/// Signs a user in on another device ([RFC 8628](https://www.rfc-editor.org/rfc/rfc8628)).
struct DeviceFlow: Sendable {
    let authorizationURL: URL
    let show: @Sendable (DevicePrompt) async throws -> Void
    let endpoint: TokenEndpoint
    let time: TimeSource

    /// Gets a code, shows it, and asks for tokens until the user has signed in.
    func tokens(scope: TokenEndpoint.Form) async throws(OAuth2Error) -> TokenReply {
        let code = try await endpoint.deviceCode(at: authorizationURL, scope)
        let end = time.elapsed() + code.prompt.lifetime
        do { try await show(code.prompt) } catch is CancellationError {
            throw OAuth2Error(.device, .cancelled)
        } catch {
            throw OAuth2Error(.device, .promptFailed("\(type(of: error))"))
        }
        var interval = code.interval
        while true {
            guard (try? await time.sleep(interval)) != nil else { throw OAuth2Error(.device, .cancelled) }
            guard time.elapsed() < end else {
                throw OAuth2Error(.device, .refused(code: "expired_token", description: nil))
            }
            do throws(OAuth2Error) { return try await ask(code.code) } catch {
                guard let longer = Self.interval(after: error, longerThan: interval) else { throw error }
                interval = longer
            }
        }
    }

    private func ask(_ code: String) async throws(OAuth2Error) -> TokenReply {
        let form: TokenEndpoint.Form = [
            ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("device_code", code),
        ]
        return try await endpoint.tokens(form, by: .device, hiding: [code])
    }

    /// How long to wait before asking again (RFC 8628 §3.5); nil if that is of no use.
    private static func interval(after error: OAuth2Error, longerThan interval: Duration) -> Duration? {
        switch error.reason {
        case .refused("authorization_pending", _): interval
        case .refused("slow_down", _): interval + .seconds(5)
        case .unreachable(let error) where error.isTransient || error.isTimeout: max(interval * 2, .seconds(1))
        default: nil
        }
    }
}
