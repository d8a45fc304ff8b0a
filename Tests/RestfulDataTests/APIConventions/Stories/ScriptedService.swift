import HTTPTypes
import RestfulData
import RestfulDataTesting
import Testing

/// A service that expects requests in a given order with given fields: each request that differs is a failure.
struct ScriptedService: Sendable, CustomTestStringConvertible {
    struct Exchange: Sendable {
        /// Method, path with query, and the body if there is one.
        let request: String
        /// The media type of the body; nil for the service's usual one.
        let type: String?
        /// The value of `If-Match`, if the request has it.
        let ifMatch: String?
        /// The value of `Prefer`, if the request has it.
        let prefer: String?
        let status: Int
        let reply: String
        /// Fields of the reply.
        var fields: HTTPFields = [:]

        /// A request and its reply, 200 unless another status is given.
        init(
            _ request: String, _ reply: String = "", status: Int = 200, type: String? = nil, ifMatch: String? = nil,
            prefer: String? = nil, link: String? = nil, eTag: String? = nil
        ) {
            (self.request, self.reply, self.status) = (request, reply, status)
            (self.type, self.ifMatch, self.prefer) = (type, ifMatch, prefer)
            if let link { fields[HTTPField.Name("Link")!] = link }
            if let eTag { fields[.eTag] = eTag }
        }
    }

    let name: String
    let conventions: APIConventions
    let models: [any Model.Type]
    /// The fields of requests that describe their bodies and the accepted replies.
    var accept = "application/json"
    var contentType = "application/json"
    let exchanges: [Exchange]
    /// The story as an app performs it.
    let story: @MainActor @Sendable (ObjectContext) async throws -> Void

    var testDescription: String { name }

    /// Answers on a loopback port during the story, and compares each request with the script.
    @MainActor func play() async throws {
        let course = Box(Course())
        try await withWebServer { line, fields in
            var own = course.value
            defer { course.value = own }
            return own.reply(to: line, fields, by: self)
        } _: { base in
            let store = try Store(.temporary, models: models, api: API(base, conventions: conventions))
            do { try await story(store.main) } catch { course.value.problems.append("\(error)") }
        }
        #expect(course.value.problems == [])
        #expect(course.value.count == exchanges.count)
    }

    /// How far the script is. The story sends one request at a time.
    private struct Course: Sendable {
        var count = 0
        var problems: [String] = []

        mutating func reply(
            to line: String, _ fields: [String: String], by service: ScriptedService
        ) -> StubTransport.Reply {
            guard count < service.exchanges.count else {
                problems.append("nothing was expected, but \(line)")
                return .status(418)
            }
            let exchange = service.exchanges[count]
            count += 1
            let hasBody = line.split(separator: " ", maxSplits: 2).count > 2
            let type = hasBody ? exchange.type ?? service.contentType : nil
            expect(exchange.request, line)
            expect(service.accept, fields["accept"])
            expect(type, fields["content-type"])
            expect(exchange.ifMatch, fields["if-match"])
            expect(exchange.prefer, fields["prefer"])
            // The service links to itself by its own address.
            let text = exchange.reply.replacing("https://api.example.com", with: "http://\(fields["host"] ?? "")")
            guard !text.isEmpty else { return .status(exchange.status, headerFields: exchange.fields) }
            var reply = StubTransport.Reply.json(text, status: exchange.status, headerFields: exchange.fields)
            reply.headerFields[.contentType] = service.accept
            return reply
        }

        private mutating func expect(_ expected: String?, _ found: String?) {
            guard expected != found else { return }
            problems.append("request \(count): expected \(expected ?? "nothing"), found \(found ?? "nothing")")
        }
    }
}
