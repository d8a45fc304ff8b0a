import Foundation
import HTTPTypes
import JSONBytes
import ObjectStore
import RESTTransport

/// What the server answered, understood: the response, where in its body the objects are, and which page follows.
struct Reply {
    /// What a request asks for, which says how its reply is read.
    enum Content: String {
        /// One object; a list's first will do.
        case object
        case list
        /// Nothing, or what is read in other ways: a response type, the reply to a deletion.
        case other
    }

    /// What a reply is read as.
    struct Form {
        /// What is asked for.
        var content = Content.other
        /// The model that the reply is about; nil when there is none.
        var model: ModelSchema?
        /// The keys that lead to the objects in the reply; nil when the conventions decide.
        var keyPath: JSONKeyPath?
        /// How a list is paged, where the call says it; nil when the model or the conventions decide.
        var paging: APIConventions.Paging?
    }

    let response: APIResponse
    /// Open until what the reply says is stored.
    var question: Question?
    let content: Content
    /// The model that the reply is about; nil when there is none.
    let model: ModelSchema?
    /// The keys that lead to the object or list.
    private(set) var keyPath: [String] = []
    /// The keys that lead to the object within each element of a list.
    private(set) var elementPath: [String] = []
    /// The key that leads there as well, where the caller has said it.
    let wholeKey: String?
    /// Whether the caller has said where the objects are; then what is there is known once it is imported.
    let isPlaced: Bool
    /// Whether a list is there.
    var isList: Bool
    /// Whether `null` is there.
    private(set) var isNull: Bool
    /// The envelope that should have been there, for a body that is neither in it nor has anything of the model.
    private(set) var missingEnvelope: String?
    /// Whether something went wrong at the server, as the body says beside what it has.
    private(set) var saysMistake = false
    /// Whether nothing stands where the list or object should be, as what was asked for failed: `{"data": null,
    /// "errors": […]}` says no more than that.
    private(set) var isFailure = false
    /// The page that follows.
    var nextPage: NextPage?
    /// Whether there are pages before.
    var hasPrevious = false
    /// What head and body say of whether the list is whole.
    var signs = PageSigns()
    /// When it came, in seconds since 1970; nil where nobody has looked.
    var arrivedAt: Double?
    /// What the response says of itself, to be stored with its objects.
    var answer: StoredAnswer?
    /// Of which question it is the newest answer, where it is not to be stored.
    var outdated: StoredAnswer.Key?
    /// The answer that the store has, where that is the reply.
    var kept: KeptAnswer?
    /// Whether that is one of which the server is to be asked once it has been used.
    var isStale = false
    /// Where the objects come from.
    var source = AnswerSource.network
    /// Whether the body is an object that has no list where one should be.
    private var isWithoutList = false
    private let isDocument: Bool
    private let emptyReplies: APIConventions.EmptyReplies

    /// Reads a response away from the caller's actor: its body may be long.
    @concurrent
    static func read(
        _ response: APIResponse, as form: Form, from client: APIClient
    ) async -> sending Reply {
        Reply(response, as: form, from: client)
    }

    /// The same of the object alone where the body, or what is in its envelope, is a list of one, as PostgREST's is;
    /// away from the caller's actor, too.
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
        isPlaced = keyPath?.keys.isEmpty == false
        isList = response.isList
        isNull = response.isNull
        guard content != .other, let model else { return }
        // Only a list has further pages.
        let paging = content == .list ? form.paging ?? client.paging(of: model) : nil
        if let paging {
            readHead(paging)
            judgeStart(paging)
        }
        let envelope = client.envelopes.envelope(of: model)
        elementPath = envelope.element
        let envelopes = isPlaced ? [] : (content == .list ? [] : envelope.object) + envelope.list
        // A body that is a list has nothing around it.
        let lists = isDocument ? [["data"]] : isPlaced ? keyPath?.alternatives ?? [] : envelopes
        let paths = (isPlaced && content == .object && !isDocument ? [] : lists) + (paging?.keyPaths ?? [])
        guard hasBody, !response.isList, !paths.isEmpty else { return }
        let outline = ReplyOutline(
            response.body, at: paths, around: content == .list ? lists : [], with: signs)
        guard outline.rootKind == .object else { return }
        saysMistake = outline.saysMistake
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

    /// The same response, read as if it had been asked for something else.
    func asking(for content: Content, from client: APIClient) -> Reply {
        Reply(response, as: Form(content: content, model: model), from: client)
    }

    /// Takes the first envelope that is there.
    private mutating func findEnvelope(
        among paths: [[String]], in outline: ReplyOutline, of model: ModelSchema
    ) {
        let isObjectItself = model.identity.allSatisfy { outline.keys.contains(model[$0].jsonPath[0]) }
        for path in paths {
            guard let kind = outline[path]?.kind, [.object, .array, .null].contains(kind) else { continue }
            // A category may have a category of its own.
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

// MARK: What it has

extension Reply {
    var body: [UInt8] { response.body }

    /// The keys that lead to the object in the body, a document of JSON:API included.
    var documentKeyPath: [String] { isDocument ? ["data"] : keyPath }

    /// Whether there is something to import.
    var hasBody: Bool { response.hasBody }

    /// Whether the server has nothing newer (304).
    var isUnmodified: Bool { response.status == .notModified }

    /// Whether there is one object to import.
    var hasObject: Bool { mayHaveObject && !isList && !isNull }

    /// Whether the body may be an object: it isn't nothing, no JSON, a list, `"created"`, `true` or `null`. What comes
    /// with 202 is about the work that the server has accepted.
    var mayHaveObject: Bool { !isAccepted && response.mayHaveObject }

    /// Whether the server will do what was asked, and has not yet (202).
    var isAccepted: Bool { response.status == .accepted }

    /// Whether it has nothing, and says so (204).
    var isNothing: Bool { response.status == .noContent }

    /// Whether it has a list without members: `null` within an envelope is how some servers send one, 204 or an object
    /// without the list how others do, which say so.
    var isEmptyList: Bool {
        guard content == .list else { return false }
        if isWithoutList { return true }
        return isNothing ? emptyReplies.contains(.emptyList) : !isPlaced && isNull && !response.isNull
    }

    /// The request that it answers, for errors.
    var request: RequestSummary { RequestSummary(response.request) }

    /// - Throws: ``APIError/noObject(model:_:_:)`` when it has nothing, and does not say by that that the list is
    ///   empty, or when the envelope is missing and the body has nothing else of the model;
    ///   ``APIError/accepted(model:monitor:_:)``.
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

    /// That there is no object yet.
    var accepted: APIError {
        .accepted(
            model: model?.modelName ?? "", monitor: response.headerFields[.location].map { APIError.shown($0) }, request
        )
    }

    /// That it has something else where a list was expected.
    func noList(_ report: ImportReport) -> APIError {
        // What is within it is rejected before it.
        guard let model, hasBody, let rejection = report.rejected.last else {
            return noObject(report)
        }
        var found = "an object"
        if case .notAnObject(let other) = rejection.reason { found = other }
        let noList = ImportReport.Rejection(
            path: rejection.path, model: model.modelName, reason: .notAList(found: found))
        return noObject(ImportReport(rejecting: noList))
    }

    /// That it has no object of the model.
    func noObject(_ report: ImportReport) -> APIError {
        .noObject(model: model?.modelName ?? "", report.telling(otherPlaces, besides: askedKeyPath), request)
    }

    /// Where in the body such objects stand, if not where they were expected; see ``ReplyPlaces``.
    private var otherPlaces: [String] {
        guard let model, content != .other, hasBody, !isDocument, !saysMistake else { return [] }
        return ReplyPlaces(body, asking: content, of: model).keyPaths(besides: askedKeyPath)
    }

    /// The keys at which the caller has said that the objects are.
    private var askedKeyPath: [String] { isPlaced ? keyPath : [] }
}

extension APIResponse {
    /// The first byte that is neither JSON whitespace (RFC 8259 §2) nor of a byte order mark.
    private var firstByte: UInt8? { body.first { ![0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) } }

    /// Whether the body of a success says that what it answers was not done, and has nothing of the model: Slack's
    /// `{"ok": false, "error": "not_authed"}`. A success of several (207) says by its body alone what was done.
    func isRefusal(of model: ModelSchema, at client: APIClient) -> Bool {
        if saysNoRow || isText("false") { return true }
        let isOfSeveral = status.code == 207
        guard hasBody, let object = isList ? onlyObject(at: [])?.body : body, firstByte != UInt8(ascii: "<") else {
            return isOfSeveral && hasBody
        }
        let (outline, paths) = outline(of: object, model, at: client)
        return outline.isRefusal(without: model, at: paths) || outline.isMistake(about: model, at: paths)
            || method == .delete && outline.saysNotDeleted
            || isOfSeveral && (outline.saysMistake || !outline.hasProperty(of: model, at: paths))
    }

    /// Whether the body of a success says of itself that something failed, and names no object: what it has in the name
    /// of a property (the `title` of `{"status": 404, "title": "Not Found"}`, RFC 9457 §3) is none of an object's.
    /// What is longer than such things are isn't looked through.
    func isMistake(about model: ModelSchema, at client: APIClient) -> Bool {
        guard hasBody, body.count <= 1 << 16, firstByte == UInt8(ascii: "{") else { return false }
        let (outline, paths) = outline(of: body, model, at: client)
        return outline.isMistake(about: model, at: paths) && outline.hasProperty(of: model, at: [])
    }

    private func outline(
        of object: [UInt8], _ model: ModelSchema, at client: APIClient
    ) -> (outline: ReplyOutline, paths: [[String]]) {
        let isDocument = client.api.conventions.document == .jsonAPI
        let paths = isDocument ? [["data"]] : client.envelopes.envelope(of: model).object
        return (ReplyOutline(object, at: paths, around: [], with: PageSigns(), of: isDocument ? nil : model), paths)
    }

    /// Whether PostgREST says that no row was changed, as none is there or a policy hides it: by the range of an
    /// update, `*/*`, and of a deletion, which never has another, by a count of none or the list of the deleted rows.
    private var saysNoRow: Bool {
        guard let range = headerFields[.contentRange], range.hasPrefix("*/") else { return false }
        return method == .patch || method == .delete && (range == "*/0" || isText("[]"))
    }

    /// Some servers send a space, or a line break, for nothing.
    fileprivate var hasBody: Bool { status != .noContent && status != .notModified && firstByte != nil }

    fileprivate var isList: Bool { hasBody && firstByte == UInt8(ascii: "[") }

    fileprivate var mayHaveObject: Bool {
        guard hasBody, isJSON, let byte = firstByte else { return false }
        return !"[\"tfn-0123456789".utf8.contains(byte)
    }

    /// Whether the body is JSON, by its type or its first byte. `Created` and `OK` are words for people.
    private var isJSON: Bool {
        mediaType.contains("json") || firstByte == UInt8(ascii: "{") || firstByte == UInt8(ascii: "[")
    }

    /// Whether the body is what no API answers in JSON's place: a page of HTML, such as a Wi-Fi's gate has for every
    /// request, or an image.
    var isForeign: Bool {
        guard hasBody, firstByte != UInt8(ascii: "<") else { return hasBody }
        return !isJSON
            && ["application/", "image/", "audio/", "video/", "multipart/"].contains(where: mediaType.hasPrefix)
    }

    /// The media type of a body that is not JSON's; nil for JSON, and for none.
    var foreignType: String? {
        guard let type = headerFields[.contentType], !mediaType.contains("json"), !mediaType.hasPrefix("text/plain")
        else { return nil }
        return String(type.prefix { $0 != ";" }.prefix(60))
    }

    private var mediaType: String { headerFields[.contentType]?.lowercased() ?? "" }

    /// Whether the body is `null` and nothing else.
    fileprivate var isNull: Bool { isText("null") }

    /// Whether the body is this and nothing else.
    private func isText(_ text: StaticString) -> Bool {
        let text = Array("\(text)".utf8)
        // Most bodies are told by their first byte, however long they are.
        return firstByte == text.first && body.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == text
    }
}

extension ModelSchema {
    /// Whether a key of the model's JSON is a property or the identity of a relationship.
    func hasProperty(forJSON key: String) -> Bool {
        // A key path's first key is a property's too.
        names?.inbound.match(key) != nil || identityKeys[key] != nil
            || properties.contains { $0.jsonPath.count > 1 && $0.jsonPath[0] == key }
    }
}
