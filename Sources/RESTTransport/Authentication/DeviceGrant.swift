#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The URL and the code with which a user signs in on another device.
///
/// Its description omits both.
public struct DevicePrompt: Sendable, Hashable {
    /// The code to enter.
    public let userCode: String
    /// The page where the user enters the code.
    public let verificationURL: URL
    /// The URL with the code, for a QR code or a link; nil if the server omits it.
    public let completeVerificationURL: URL?
    /// How long the code is valid, from the server's reply.
    public let lifetime: Duration
}

extension DevicePrompt: CustomStringConvertible, CustomReflectable {
    /// The type's name.
    public var description: String { "DevicePrompt" }

    /// The description alone.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
}

struct DeviceCode: Sendable {
    let code: String
    let prompt: DevicePrompt
    let interval: Duration

    /// - Returns: nil if the reply lacks a required member.
    init?(_ reply: TokenReply) {
        guard let code = reply.deviceCode, let userCode = reply.userCode, let url = reply.verificationURL else {
            return nil
        }
        self.code = code
        // RFC 8628's default is 5 s. Zero would mean polling without a pause.
        interval = .seconds(max(1, reply.interval ?? 5))
        // RFC 8628 requires `expires_in`; most servers allow 15 minutes.
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

    /// Nil if polling has to stop (RFC 8628 §3.5).
    private static func interval(after error: OAuth2Error, longerThan interval: Duration) -> Duration? {
        switch error.reason {
        case .refused("authorization_pending", _): interval
        case .refused("slow_down", _): interval + .seconds(5)
        default: error.mayPass ? max(interval * 2, .seconds(1)) : nil
        }
    }
}
