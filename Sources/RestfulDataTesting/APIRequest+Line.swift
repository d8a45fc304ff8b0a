import Foundation
public import RestfulData

extension APIRequest {
    /// The method, and the path with the query as they stand in the URL: `GET /users?page=2`.
    public var line: String {
        let path = url.path(percentEncoded: true)
        let query = url.query(percentEncoded: true).map { "?" + $0 } ?? ""
        return "\(method.rawValue) \(path.isEmpty ? "/" : path)\(query)"
    }
}
