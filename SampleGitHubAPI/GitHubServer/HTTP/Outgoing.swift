#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct Outgoing: Sendable {
    var status: Int
    var headers: [String: String]
    var body: Data

    mutating func setBody(_ text: String, type: String) {
        body = Data(text.utf8)
        headers["Content-Type"] = type
    }

    /// A reply to HEAD keeps the body's length.
    mutating func leaveOutBody() {
        headers["Content-Length"] = String(body.count)
        body = Data()
    }

    /// Of the status line.
    var reason: String {
        switch status {
        case 200: "OK"
        case 201: "Created"
        case 204: "No Content"
        case 301: "Moved Permanently"
        case 304: "Not Modified"
        case 307: "Temporary Redirect"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 410: "Gone"
        case 415: "Unsupported Media Type"
        case 422: "Unprocessable Entity"
        case 502: "Bad Gateway"
        default: "Status \(status)"
        }
    }
}
