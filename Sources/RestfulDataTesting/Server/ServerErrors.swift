import RestfulData

extension TestServer {
    /// The format of the server's errors.
    public enum ErrorFormat: Sendable, Hashable {
        /// `{"error": "…", "errors": {"title": ["can't be blank"]}}`, status 422.
        case rails
        /// `{"message": "…", "errors": [{"resource": "Issue", "field": "title", "code": "custom", "message": "…"}]}`,
        /// status 422.
        case gitHub
        /// `{"title": ["…"]}` or `{"detail": "…"}`, status 400.
        case djangoREST
        /// `{"errors": [{"detail": "…", "source": {"pointer": "/data/attributes/title"}}]}`, status 422.
        case jsonAPI
        /// Problem details with a list of errors (RFC 9457), status 422.
        case problemDetails
        /// `{"error": {"param": "title", "message": "…"}}`, status 400.
        case stripe
        /// `{"error": {"message": "…", "details": [{"fieldViolations": […]}]}}`, status 400.
        case google
        /// `{"error": {"message": "…", "details": [{"target": "title", "message": "…"}]}}`, status 400.
        case oData
        /// An OperationOutcome, status 422.
        case fhir
        /// `{"message": {"title": ["…"]}}`, status 400.
        case gitLab
        /// `{"error": {"message": "…", "details": {"errors": [{"path": ["title"], "message": "…"}]}}}`, status 400.
        case strapi
        /// `{"message": "…", "errors": {"title": ["can't be blank"]}}`, status 422.
        case laravel
        /// `{"error": "Validation failed: Title can't be blank"}`, status 422.
        case mastodon

        /// The format of the service for which the conventions are named, or ``rails`` for other conventions.
        static func of(_ conventions: APIConventions) -> ErrorFormat {
            if conventions.document == .jsonAPI { return .jsonAPI }
            if conventions.typeKey != nil { return .fhir }
            if conventions.bodies == .form { return .stripe }
            if conventions.saveMethod == .updateMask { return .google }
            if conventions.pageSizePreference != nil { return .oData }
            if conventions.urls.endInSlash { return .djangoREST }
            if conventions.urls.escapeSlashes { return .gitLab }
            if conventions.envelopes == .keyed("data") { return .strapi }
            if conventions.urls.paths.contains("full_name") { return .gitHub }
            if conventions.paging == .nextLink(at: "links.next") { return .laravel }
            if conventions.removals == .withBody { return .mastodon }
            return conventions.names.jsonCase == .camelCase ? .problemDetails : .rails
        }
    }
}

extension Refusal {
    func reply(as format: TestServer.ErrorFormat, about model: ModelSchema?, _ mediaType: String) -> TestServer.Reply {
        let status = status == 422 ? format.invalidStatus : status
        let body = body(as: format, status, about: model)
        var reply = TestServer.Reply.json(JSONValue.object(body).text ?? "{}", status: status)
        switch format {
        case .jsonAPI, .fhir: reply.headerFields[.contentType] = mediaType
        case .problemDetails: reply.headerFields[.contentType] = "application/problem+json"
        default: break
        }
        return reply
    }

    private func body(
        as format: TestServer.ErrorFormat, _ status: Int, about model: ModelSchema?
    ) -> [String: JSONValue] {
        let code = JSONValue.number("\(status)")
        let names = fields.map { (name: $0.path.joined(separator: "."), message: JSONValue.string($0.message)) }
        let grouped = JSONValue.object(
            Dictionary(grouping: names) { $0.name }.mapValues { .array($0.map(\.message)) })
        let text = JSONValue.string(message)
        switch format {
        case .rails: return fields.isEmpty ? ["error": text] : ["error": text, "errors": grouped]
        case .djangoREST: return fields.isEmpty ? ["detail": text] : grouped.members
        case .gitLab: return ["message": fields.isEmpty ? text : grouped]
        case .laravel: return fields.isEmpty ? ["message": text] : ["message": text, "errors": grouped]
        case .mastodon:
            let sentences = fields.map { path, message in "\(Self.words(for: path)) \(message)" }
            let problems = sentences.isEmpty ? "" : ": " + sentences.joined(separator: ", ")
            return ["error": .string(message + problems)]
        case .gitHub:
            let errors = names.map { name, message -> JSONValue in
                [
                    "resource": .string(model?.modelName ?? ""), "field": .string(name), "code": "custom",
                    "message": message,
                ]
            }
            return fields.isEmpty ? ["message": text] : ["message": text, "errors": .array(errors)]
        case .jsonAPI:
            let errors = fields.map { path, message -> JSONValue in
                let place = model?.declared.first { $0.jsonPath == path }?.documentPath ?? ["attributes"] + path
                let pointer = "/data/" + place.filter { $0 != "data" }.joined(separator: "/")
                return [
                    "status": .string("\(status)"), "title": text, "detail": .string(message),
                    "source": ["pointer": .string(pointer)],
                ]
            }
            return ["errors": .array(fields.isEmpty ? [["status": .string("\(status)"), "title": text]] : errors)]
        case .problemDetails:
            let errors = fields.map { path, message -> JSONValue in
                ["detail": .string(message), "pointer": .string("#/" + path.joined(separator: "/"))]
            }
            let head: [String: JSONValue] = ["type": "about:blank", "title": text, "status": code]
            return fields.isEmpty ? head : head.merging(["errors": .array(errors)]) { $1 }
        case .stripe:
            var error: [String: JSONValue] = ["type": "invalid_request_error", "message": text]
            if let first = names.first { (error["param"], error["message"]) = (.string(first.name), first.message) }
            return ["error": .object(error)]
        case .google:
            let violations = names.map { name, message -> JSONValue in
                ["field": .string(name), "description": message]
            }
            let details: JSONValue = [["fieldViolations": .array(violations)]]
            let head: [String: JSONValue] = ["code": code, "message": text]
            return ["error": .object(fields.isEmpty ? head : head.merging(["details": details]) { $1 })]
        case .oData:
            let details = names.map { name, message -> JSONValue in
                ["code": "Invalid", "target": .string(name), "message": message]
            }
            return ["error": ["code": .string("\(status)"), "message": text, "details": .array(details)]]
        case .fhir:
            let type = model.map(\.modelName) ?? "Resource"
            let issues = names.map { name, message -> JSONValue in
                [
                    "severity": "error", "code": "invalid", "diagnostics": message,
                    "expression": [.string("\(type).\(name)")],
                ]
            }
            let general: JSONValue = [["severity": "error", "code": "processing", "diagnostics": text]]
            return ["resourceType": "OperationOutcome", "issue": fields.isEmpty ? general : .array(issues)]
        case .strapi:
            let errors = fields.map { path, message -> JSONValue in
                [
                    "path": .array(path.map { .string($0) }), "message": .string(message),
                    "name": "ValidationError",
                ]
            }
            let error: JSONValue = [
                "status": code, "name": fields.isEmpty ? "ApplicationError" : "ValidationError", "message": text,
                "details": ["errors": .array(errors)],
            ]
            return ["data": .null, "error": error]
        }
    }
}

extension Refusal {
    /// `Published at` for `published_at`, as Rails writes an attribute in a sentence.
    fileprivate static func words(for path: [String]) -> String {
        let text = (path.last ?? "").replacing("_", with: " ")
        return text.prefix(1).uppercased() + text.dropFirst()
    }
}

extension TestServer.ErrorFormat {
    fileprivate var invalidStatus: Int {
        switch self {
        case .rails, .gitHub, .jsonAPI, .problemDetails, .fhir, .laravel, .mastodon: 422
        case .djangoREST, .stripe, .google, .oData, .gitLab, .strapi: 400
        }
    }
}
