import Foundation
import HTTPTypes
import JSONBytes
import ObjectStore
import RESTTransport

struct Reply {
    enum Content: String {
        /// One object, or the first of a list.
        case object
        case list
        case other
    }

    struct Form {
        var content = Content.other
        var model: ModelSchema?
        var keyPath: JSONKeyPath?
        var paging: APIConventions.Paging?
    }

    let response: APIResponse
    /// Open until the reply is stored.
    var requestStart: RequestStart?
    let content: Content
    let model: ModelSchema?
    private(set) var keyPath: [String] = []
    private(set) var elementPath: [String] = []
    /// The caller's key path as one key, for bodies whose keys contain dots.
    let wholeKey: String?
    /// Whether the caller passed a key path. Only the import reads the value there.
    let hasKeyPath: Bool
    var isList: Bool
    private(set) var isNull: Bool
    /// The expected envelope; nil if the body has one, or a property of the model.
    private(set) var missingEnvelope: String?
    private(set) var reportsError = false
    /// Whether the body reports an error and is otherwise empty: `{"data": null, "errors": […]}`.
    private(set) var isFailure = false
    var nextPage: NextPage?
    var hasPrevious = false
    var signs = PageSigns()
    /// The arrival, in seconds since 1970; nil if unrecorded.
    var receivedAt: Double?
    var answer: StoredAnswer?
    /// The question whose stored replies are outdated, if this reply must stay out of the store.
    var outdated: StoredAnswer.Key?
    /// The stored answer in use; nil if the server sent the content.
    var kept: KeptAnswer?
    /// Whether the stored reply must be revalidated after use.
    var isStale = false
    var source = AnswerSource.network
    private var isWithoutList = false
    private let isDocument: Bool
    private let emptyReplies: APIConventions.EmptyReplies

    /// Reads off the caller's actor, since the body may be long.
    @concurrent
    static func read(
        _ response: APIResponse, as form: Form, from client: APIClient
    ) async -> sending Reply {
        Reply(response, as: form, from: client)
    }

    /// The reply with its list's only object. PostgREST replies so about one object.
    @concurrent
    func onlyObject(from client: APIClient) async -> sending Reply? {
        guard !isDocument else { return nil }
        return response.onlyObject(at: keyPath).map {
            Reply($0, as: Form(content: content, model: model), from: client)
        }
    }

    init(_ response: APIResponse, as form: Form, from client: APIClient) {
        let (content, model, keyPath) = (form.content, form.model, form.keyPath)
        self.response = response
        self.content = content
        self.model = model
        self.keyPath = keyPath?.keys ?? []
        wholeKey = keyPath?.wholeKey
        isDocument = client.api.conventions.document == .jsonAPI
        emptyReplies = client.api.conventions.emptyReplies
        hasKeyPath = keyPath?.keys.isEmpty == false
        isList = response.isList
        isNull = response.isNull
        guard content != .other, let model else { return }
        let paging = content == .list ? form.paging ?? client.paging(of: model) : nil
        if let paging {
            readHead(paging)
            judgeStart(paging)
        }
        let envelope = client.envelopes.envelope(of: model)
        elementPath = envelope.element
        let envelopes = hasKeyPath ? [] : (content == .list ? [] : envelope.object) + envelope.list
        // The possible paths of the list, with page signs around them.
        let lists = isDocument ? [["data"]] : hasKeyPath ? keyPath?.alternatives ?? [] : envelopes
        let paths = (hasKeyPath && content == .object && !isDocument ? [] : lists) + (paging?.keyPaths ?? [])
        guard hasBody, !response.isList, !paths.isEmpty else { return }
        let outline = ReplyOutline(
            response.body, at: paths, around: content == .list ? lists : [], with: signs)
        guard outline.rootKind == .object else { return }
        reportsError = outline.reportsError
        isFailure = outline.isFailure(of: model, at: lists)
        if let paging {
            readBody(outline, paging)
            judgeStart(paging)
        }
        if isDocument {
            isList = outline[["data"]]?.kind == .array
            isNull = outline[["data"]]?.kind == .null
        } else {
            findEnvelope(among: envelopes, in: outline, of: model)
            let mayLackList = content == .list && client.api.conventions.absentLists == .empty
            isWithoutList = mayLackList && outline.isWithoutList(at: lists, of: model)
            if isWithoutList { missingEnvelope = nil }
        }
    }

    func asking(for content: Content, from client: APIClient) -> Reply {
        Reply(response, as: Form(content: content, model: model), from: client)
    }

    private mutating func findEnvelope(
        among paths: [[String]], in outline: ReplyOutline, of model: ModelSchema
    ) {
        let isObjectItself = model.identity.allSatisfy { outline.keys.contains(model[$0].jsonPath[0]) }
        for path in paths {
            guard let kind = outline[path]?.kind, [.object, .array, .null].contains(kind) else { continue }
            // A category itself may have a property `category`.
            if isObjectItself, model.attribute(forJSON: path[0]) != nil { continue }
            keyPath = path
            isList = kind == .array
            isNull = kind == .null
            return
        }
        guard let expected = paths.first else { return }
        let keys = content == .list ? outline.objectKeys : outline.keys
        let hasProperties = keys.contains { model.hasProperty(forJSON: $0) }
        if !hasProperties { missingEnvelope = expected.joined(separator: ".") }
    }
}

// MARK: Contents

extension Reply {
    var body: [UInt8] { response.body }

    var documentKeyPath: [String] { isDocument ? ["data"] : keyPath }

    var hasBody: Bool { response.hasBody }

    var isUnmodified: Bool { response.status == .notModified }

    var hasObject: Bool { mayHaveObject && !isList && !isNull }

    /// Whether the body is JSON other than a list, a scalar or `null`. False for a 202, whose body is about the
    /// accepted work.
    var mayHaveObject: Bool { !isAccepted && response.mayHaveObject }

    var isAccepted: Bool { response.status == .accepted }

    var isNothing: Bool { response.status == .noContent }

    /// An empty list: `null` in an envelope; if the conventions say so, also a 204, or an object that lacks the list.
    var isEmptyList: Bool {
        guard content == .list else { return false }
        if isWithoutList { return true }
        return isNothing ? emptyReplies.contains(.emptyList) : !hasKeyPath && isNull && !response.isNull
    }

    var request: RequestSummary { RequestSummary(response.request) }

    /// - Throws: ``APIError/accepted(model:monitor:_:)`` for a 202. ``APIError/noObject(model:_:_:)`` for a missing
    ///   envelope, and for an empty reply, unless that is an empty list.
    func checkContent() throws(APIError) {
        if isAccepted, content != .other { throw accepted }
        if isNothing, !isEmptyList, content != .other { throw noObject(ImportReport()) }
        try checkEnvelope()
    }

    private func checkEnvelope() throws(APIError) {
        guard let missingEnvelope, let model else { return }
        let rejection = ImportReport.Rejection(
            path: "the body", model: model.modelName, reason: .noEnvelope(missing: missingEnvelope))
        throw noObject(ImportReport(rejecting: rejection))
    }

    var accepted: APIError {
        .accepted(
            model: model?.modelName ?? "", monitor: response.headerFields[.location].map { APIError.shown($0) }, request
        )
    }

    func noList(_ report: ImportReport) -> APIError {
        // The list's own rejection comes after those of its elements.
        guard let model, hasBody, let rejection = report.rejected.last else {
            return noObject(report)
        }
        var found = "an object"
        if case .notAnObject(let other) = rejection.reason { found = other }
        let noList = ImportReport.Rejection(
            path: rejection.path, model: model.modelName, reason: .notAList(found: found))
        return noObject(ImportReport(rejecting: noList))
    }

    func noObject(_ report: ImportReport) -> APIError {
        .noObject(model: model?.modelName ?? "", report.naming(otherPlaces, besides: askedKeyPath), request)
    }

    private var otherPlaces: [String] {
        guard let model, content != .other, hasBody, !isDocument, !reportsError else { return [] }
        return ReplyPlaces(body, asking: content, of: model).keyPaths(besides: askedKeyPath)
    }

    private var askedKeyPath: [String] { hasKeyPath ? keyPath : [] }
}

extension APIResponse {
    /// The first byte after white space (RFC 8259 §2) and a byte order mark.
    private var firstByte: UInt8? { body.first { ![0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) } }

    /// Whether a success reports a failure and names no object: Slack's `{"ok": false, "error": "not_authed"}`, the
    /// text `false`, no row of PostgREST, or a 207 (Multi-Status) with any error.
    func isRefusal(of model: ModelSchema, at client: APIClient) -> Bool {
        if saysNoRow || isText("false") { return true }
        let isOfSeveral = status.code == 207
        guard hasBody, let object = isList ? onlyObject(at: [])?.body : body, firstByte != UInt8(ascii: "<") else {
            return isOfSeveral && hasBody
        }
        let (outline, paths) = outline(of: object, model, at: client)
        return outline.isRefusal(without: model, at: paths) || outline.isErrorReport(about: model, at: paths)
            || method == .delete && outline.reportsNotDeleted
            || isOfSeveral && (outline.reportsError || !outline.hasProperty(of: model, at: paths))
    }

    /// Whether a success reports a failure and names no object, although some of its keys are properties: `{"status":
    /// 404, "title": "Not Found"}` (RFC 9457 §3). Such bodies are short.
    func isErrorReport(about model: ModelSchema, at client: APIClient) -> Bool {
        guard hasBody, body.count <= 1 << 16, firstByte == UInt8(ascii: "{") else { return false }
        let (outline, paths) = outline(of: body, model, at: client)
        return outline.isErrorReport(about: model, at: paths) && outline.hasProperty(of: model, at: [])
    }

    private func outline(
        of object: [UInt8], _ model: ModelSchema, at client: APIClient
    ) -> (outline: ReplyOutline, paths: [[String]]) {
        let isDocument = client.api.conventions.document == .jsonAPI
        let paths = isDocument ? [["data"]] : client.envelopes.envelope(of: model).object
        return (ReplyOutline(object, at: paths, around: [], with: PageSigns(), of: isDocument ? nil : model), paths)
    }

    /// Whether PostgREST changed no row. An update says so by the range `*/*`. A deletion always has that range, and
    /// says so by a count of 0 or an empty list.
    private var saysNoRow: Bool {
        guard let range = headerFields[.contentRange], range.hasPrefix("*/") else { return false }
        return method == .patch || method == .delete && (range == "*/0" || isText("[]"))
    }

    /// A space or a line break, which some servers send, is no body.
    fileprivate var hasBody: Bool { status != .noContent && status != .notModified && firstByte != nil }

    fileprivate var isList: Bool { hasBody && firstByte == UInt8(ascii: "[") }

    fileprivate var mayHaveObject: Bool {
        guard hasBody, isJSON, let byte = firstByte else { return false }
        return !"[\"tfn-0123456789".utf8.contains(byte)
    }

    /// Whether the body is JSON. Some servers reply `Created` or `OK`.
    private var isJSON: Bool {
        mediaType.contains("json") || firstByte == UInt8(ascii: "{") || firstByte == UInt8(ascii: "[")
    }

    /// Whether the body is markup, such as a captive portal's HTML, or an image or the like.
    var isForeign: Bool {
        guard hasBody, firstByte != UInt8(ascii: "<") else { return hasBody }
        return !isJSON
            && ["application/", "image/", "audio/", "video/", "multipart/"].contains(where: mediaType.hasPrefix)
    }

    /// The media type; nil for JSON, plain text, and if it is missing.
    var foreignType: String? {
        guard let type = headerFields[.contentType], !mediaType.contains("json"), !mediaType.hasPrefix("text/plain")
        else { return nil }
        return String(type.prefix { $0 != ";" }.prefix(60))
    }

    private var mediaType: String { headerFields[.contentType]?.lowercased() ?? "" }

    fileprivate var isNull: Bool { isText("null") }

    private func isText(_ text: StaticString) -> Bool {
        let text = Array("\(text)".utf8)
        return firstByte == text.first && body.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == text
    }
}

extension ModelSchema {
    /// Whether a JSON key belongs to a property, or to the identity of a relationship.
    func hasProperty(forJSON key: String) -> Bool {
        // The key may also begin a property's key path.
        names?.inbound.match(key) != nil || identityKeys[key] != nil
            || properties.contains { $0.jsonPath.count > 1 && $0.jsonPath[0] == key }
    }
}
