import Foundation
public import RestfulData

extension APIRequest {
    /// The method, and the percent-encoded path and query: `GET /users?page=2`.
    public var line: String {
        let path = url.path(percentEncoded: true)
        let query = url.query(percentEncoded: true).map { "?" + $0 } ?? ""
        return "\(method.rawValue) \(path.isEmpty ? "/" : path)\(query)"
    }

    /// The line with the body, if there is one. A file or stream is shown by its length:
    /// `PUT /films/7 <file, 1000 bytes>`.
    var lineWithBody: String {
        guard let body else { return line }
        return line + " " + (body.bytes.map { String(decoding: $0, as: UTF8.self) } ?? "<\(body)>")
    }
}
