struct Refusal: Error, Sendable {
    let status: Int
    let message: String
    var errors: [FieldError] = []
    var headers: [Reply.Header] = []
    /// Where a moved thing is now.
    var url: String?
    /// Instead of the route's.
    var documentation: String?

    struct FieldError: Sendable {
        var value: JSON?
        let resource: String
        let field: String
        let code: String
        var message: String?
    }

    func reply(documentation routeDocumentation: String) -> Reply {
        let body = JSON.object { body in
            body.put("message", message)
            if let url { body.put("url", url) }
            if !errors.isEmpty { body.put("errors", errors.map(\.json)) }
            body.put("documentation_url", documentation ?? routeDocumentation)
            body.put("status", String(status))
        }
        return Reply(status: status, body: .json(body), headers: headers)
    }
}

extension Refusal.FieldError: JSONRepresentable {
    var json: JSON {
        .object { error in
            if let value { error.put("value", value) }
            error.put("resource", resource)
            error.put("code", code)
            error.put("field", field)
            if let message { error.put("message", message) }
        }
    }
}
