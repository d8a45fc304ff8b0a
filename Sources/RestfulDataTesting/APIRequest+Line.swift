import Foundation
public import RestfulData

extension APIRequest {
    /// The method, and the path with the query as they stand in the URL: `GET /users?page=2`.
    public var line: String {
        let path = url.path(percentEncoded: true)
        let query = url.query(percentEncoded: true).map { "?" + $0 } ?? ""
        return "\(method.rawValue) \(path.isEmpty ? "/" : path)\(query)"
    }

    /// The same with the body, if there is one; of a file or stream its length: `PUT /films/7 <file, 1000 bytes>`.
    var lineWithBody: String {
        guard let body else { return line }
        return line + " " + (body.bytes.map { String(decoding: $0, as: UTF8.self) } ?? "<\(body)>")
    }
}
