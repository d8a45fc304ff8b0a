import HTTPTypes

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct Login: Sendable {
    let user: String
    let password: String

    func basic(for request: APIRequest) throws(TransportError) -> String {
        try checkUser(for: request)
        return "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
    }

    /// A colon separates name and password in Basic and Digest.
    func checkUser(for request: APIRequest) throws(TransportError) {
        guard !user.contains(":") else {
            throw TransportError(.credentialUnavailable("the user name has a colon"), request)
        }
    }
}

extension Login: CustomStringConvertible, CustomReflectable {
    var description: String { "Login" }
    var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
