import HTTPTypes
import Logging
import ObjectStore
import RESTTransport

struct RequestDraft {
    enum Body {
        /// JSON, sent as a form if the API takes forms.
        case json(OutboundBody)
        case own(RequestBody)

        static func json(_ bytes: [UInt8]?) -> Body? { bytes.map { .json(OutboundBody(json: $0)) } }
        static func own(_ body: RequestBody?) -> Body? { body.map { .own($0) } }
    }

    let method: HTTPRequest.Method
    var url: RequestURL
    var body: Body?
    var call: Call
    /// The model whose property names errors use.
    var model: ModelSchema?
}

extension APIClient {
    /// - Throws: ``APIError`` for an invalid URL, a body that a form can't express, or a `Content-Type` that
    ///   contradicts it.
    func request(_ draft: RequestDraft) throws(APIError) -> APIRequest {
        let call = draft.call
        var body: RequestBody? = if let own = call.body { own } else { try encoded(draft.body, of: draft.model) }
        if call.compressesBody { body = body?.gzipped() }
        var request: APIRequest
        do {
            request = try APIRequest(
                draft.method, api.requestURL(draft.url), body: body, timeout: call.timeout ?? api.timeout)
        } catch {
            throw .transport(error)
        }
        request.chainState.priority = call.priority
        request.chainState.model = draft.model?.modelName
        request.chainState.requiredAccount = OutboxScope.current?.account
        request.chainState.logLevel = draft.model.flatMap { logLevel(of: $0) }
        if let progress = call.progress { request.transfer = Transfer(progress: progress) }
        add(call.headers, to: &request)
        if !call.leavesOutSharedHeaders { api.addHeaders(to: &request) }
        if let key = call.idempotencyKey, !key.isEmpty { request.headerFields[.idempotencyKey] = key }
        if call.body == nil, case .json = draft.body { try checkContentType(of: request) }
        return request
    }

    private func logLevel(of model: ModelSchema) -> Logger.Level? {
        (model.options.log ?? schema[model.table].options.log).flatMap { Logger.Level($0) }
    }

    /// Adds fields to requests of the API's own origin only, since they may be secret.
    private func add(_ fields: HTTPFields, to request: inout APIRequest) {
        guard !fields.isEmpty, api.isOwn(request.url) else { return }
        request.headerFields.replace(fields)
        request.credentialFields.formUnion(fields.map(\.name).filter { $0 != .contentType })
    }

    private func checkContentType(of request: APIRequest) throws(APIError) {
        let conventions = api.conventions
        guard let type = request.headerFields[.contentType], type != conventions.contentType,
            !conventions.bodies.isDescribed(by: MediaType(type))
        else { return }
        throw .wrongContentType(type, body: conventions.bodies.name, RequestSummary(request))
    }

    private func encoded(_ body: RequestDraft.Body?, of model: ModelSchema?) throws(APIError) -> RequestBody? {
        switch body {
        case nil: return nil
        case .own(let body): return body
        case .json(let body):
            let conventions = api.conventions
            let bytes = conventions.bodies == .form ? try form(body.json, of: model) : body.json
            return .bytes(bytes, type: body.type ?? conventions.contentType)
        }
    }

    private func form(_ json: [UInt8], of model: ModelSchema?) throws(APIError) -> [UInt8] {
        let modelName = model?.modelName ?? "the body"
        func property(at path: [String]) -> String { FieldNames(model, schema).swiftName(ofSent: path) }
        do {
            return try FormBody(json, lists: api.conventions.formLists).bytes
        } catch let error as FormBody.Ambiguity {
            throw .unjoinable(model: modelName, property: property(at: error.path), separator: error.separator)
        } catch let error as FormBody.Refusal {
            throw .unsendable(model: modelName, property: property(at: error.path), value: error.reason)
        } catch {
            throw .unsendable(model: modelName, property: "", value: "\(error)")
        }
    }
}

extension HTTPField.Name {
    /// [IETF draft](https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/)
    static let idempotencyKey = HTTPField.Name("Idempotency-Key")!
    /// [RFC 7240](https://www.rfc-editor.org/rfc/rfc7240)
    static let prefer = HTTPField.Name("Prefer")!
}

// MARK: - The URL of a call

extension APIClient {
    func callURL(
        _ url: @autoclosure () throws(APIError) -> RequestURL, query: RouteQuery = [:],
        for row: (any OutboundRow)? = nil
    ) throws(APIError) -> RequestURL {
        let call = Call.current
        let own: RequestURL
        if let path = call.path {
            own = if let row { try self.url(path, for: row) } else { try RequestURL(path, [:], at: self) }
        } else {
            own = try url()
        }
        return try own.adding(query, at: self).adding(call.query, at: self)
    }

    func url(_ template: URLTemplate, for row: any OutboundRow) throws(APIError) -> RequestURL {
        let (text, values) = try template.named()
        let route = try routes.template(of: text).styled(by: api.conventions.urls)
        let given = values.routeValues(as: api.conventions.values)
        do {
            return try route.url(for: row, in: schema, with: given)
        } catch {
            guard let object = row as? ObjectState else { throw error }
            throw explained(error, by: object)
        }
    }
}
