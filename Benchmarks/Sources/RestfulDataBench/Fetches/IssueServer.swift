import Foundation
import HTTPTypes
import RestfulData
import Synchronization

/// Answers from memory, each time with the same validator: with a body, or with 304 to a condition.
final class IssueServer: Transport {
    private let replies: [String: (body: [UInt8], fields: HTTPFields)]
    private let sent = Mutex(0)

    /// - Parameter pages: the issues of each page.
    init(_ pages: [[UInt8]]) {
        var replies: [String: (body: [UInt8], fields: HTTPFields)] = [:]
        for (index, page) in pages.enumerated() {
            let next = index + 1 < pages.count ? "<https://api.example.com/pages?page=\(index + 2)>; rel=\"next\"" : nil
            replies[index == 0 ? "/pages" : "/pages?page=\(index + 1)"] = (Self.list([page]), Self.fields(next))
            replies["/empty/\(index)"] = (Self.list([]), Self.fields(nil))
        }
        replies["/slow"] = replies["/pages"]
        replies["/whole"] = (Self.list(pages), Self.fields(nil))
        self.replies = replies
    }

    /// How many requests there were.
    var count: Int { sent.withLock { $0 } }

    func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
        sent.withLock { $0 += 1 }
        let path = request.url.path() + (request.url.query().map { "?\($0)" } ?? "")
        guard let reply = replies[path] else { throw TransportError(.other("there is no \(path)"), request) }
        // So that the others ask while the first one waits.
        if path == "/slow" { try? await Task.sleep(for: .milliseconds(100)) }
        let isKnown = request.headerFields[.ifNoneMatch] != nil
        let head = HTTPResponse(status: isKnown ? .notModified : .ok, headerFields: reply.fields)
        return APIResponse(head, body: isKnown ? [] : reply.body, to: request)
    }

    private static func list(_ pages: [[UInt8]]) -> [UInt8] {
        var list = Array("[".utf8)
        for (index, page) in pages.enumerated() { list += (index == 0 ? [] : Array(",".utf8)) + page }
        return list + Array("]".utf8)
    }

    private static func fields(_ link: String?) -> HTTPFields {
        var fields: HTTPFields = [
            .date: "Mon, 23 Nov 2026 12:00:00 GMT", .contentType: "application/json; charset=utf-8",
            .cacheControl: "private, max-age=60, s-maxage=60", .eTag: "\"0123456789abcdef\"",
            .vary: "Accept, Authorization, Cookie, X-GitHub-OTP",
        ]
        if let link, let name = HTTPField.Name("Link") { fields[name] = link }
        return fields
    }
}
