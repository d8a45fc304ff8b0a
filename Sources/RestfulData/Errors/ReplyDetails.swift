/// The details of a failed reply, in the usual formats:
///
/// - Rails: `{"title": ["can't be blank"]}`, `{"errors": {"title": […]}}`, `{"errors": ["Title can't be blank"]}`
/// - Django REST Framework: `{"detail": "…"}`, `{"title": ["…"], "non_field_errors": […], "author": {"name": […]}}`,
///   `{"tags": [{}, {"name": […]}]}`, a list of such objects
/// - GitHub: `{"message": "…", "errors": [{"resource": "Post", "field": "title", "code": "missing_field"}]}`
/// - JSON:API: `{"errors": [{"title": "…", "detail": "…", "source": {"pointer": "/data/attributes/title"}}]}`
/// - problem details (RFC 9457): `type`, `title`, `detail`, and the extensions `errors` and `invalid-params`
/// - Stripe: `{"error": {"message": "…", "param": "title", "code": "…"}}`
/// - GitLab: `{"message": {"title": ["has already been taken"]}}`, `{"error": "…", "error_description": "…"}`
/// - OData: `{"error": {"message": "…", "details": [{"target": "title", "message": "…"}]}}`
/// - FastAPI: `{"detail": [{"loc": ["body", "title"], "msg": "…"}]}`
/// - Strapi: `{"error": {"name": "ValidationError", "details": {"errors": [{"path": ["title"], "message": "…"}]}}}`
/// - FHIR: `{"resourceType": "OperationOutcome", "issue": [{"diagnostics": "…", "expression": ["Patient.name"]}]}`
/// - Mastodon: `{"error": "Validation failed: Title can't be blank"}`
struct ReplyDetails {
    private(set) var message: String?
    private(set) var code: String?
    private(set) var fields: [String: [String]] = [:]
    private(set) var objectErrors: [String] = []
    private(set) var isValidation = false
    private let names: FieldNames
    private lazy var fullMessages = names.fullMessages
    /// A hostile body may have millions of texts.
    private var count = 0

    private static let countLimit = 200
    private static let textLimit = 200

    init(_ body: Any?, status: Int, _ names: FieldNames) {
        self.names = names
        switch body {
        case let object as [String: Any]: read(object, mayBeBare: status == 400 || status == 422)
        case let list as [Any]:
            isValidation = !list.isEmpty
            readList(list, at: [])
        case let text as String: message = Self.shortened(text)
        default: break
        }
    }

    private static let listKeys = [
        "errors", "issue", "invalid-params", "invalid_params", "violations", "fieldErrors", "field_errors",
        "fieldViolations",
        "details",
    ]
    private static let messageKeys = ["message", "error_description", "error", "detail", "title"]
    /// Beside a `code`: `{"code": 401, "msg": "…"}`.
    private static let shortMessageKeys = ["msg", "errmsg"]

    private mutating func read(_ object: [String: Any], mayBeBare: Bool) {
        // FHIR has other keys beside it.
        if object["resourceType"] as? String == "OperationOutcome" { return readErrors(object["issue"]) }
        let isBare = mayBeBare && !Self.isHead(object)
        let messageKey = (Self.messageKeys + Self.shortMessageKeys).first { key in
            let mayBeField = key == "title" && !Self.isHead(object) || Self.shortMessageKeys.contains(key)
            return object[key] is String && !(mayBeField && names.isKnown([.key(key)]))
        }
        message = message ?? messageKey.flatMap { object[$0] as? String }.map(Self.shortened)
        if mayBeBare, let messageKey { readSentence(object[messageKey] as? String ?? "") }
        code = code ?? Self.code(of: object)
        if let error = object["error"] as? [String: Any] { readError(error) }
        let lists = Self.listKeys + ["message", "error", "detail"].filter { object[$0] is [Any] }
        let own = isBare && object["statusCode"] == nil ? lists.filter { isOwn($0, object[$0]) } : []
        for key in lists where !own.contains(key) { readErrors(object[key]) }
        for key in own { readFields(object[key], at: [.key(key)]) }
        for key in ["message", "detail"] where object[key] is [String: Any] { readErrors(object[key]) }
        guard mayBeBare else { return }
        let others = object.keys.filter {
            !Self.listKeys.contains($0) && !Self.messageKeys.contains($0) || $0 == "title"
        }
        for key in others.sorted() where key != messageKey { readBare(key, object[key], isBare: isBare) }
    }

    /// As in `{"message": ["can't be blank"]}` about a property `message`.
    private func isOwn(_ key: String, _ texts: Any?) -> Bool {
        guard key != "errors", let texts = texts as? [Any], !texts.isEmpty else { return false }
        return texts.allSatisfy { $0 is String } && names.isKnown([.key(key)])
    }

    /// A `title` may be a property.
    private static func isHead(_ object: [String: Any]) -> Bool {
        ["message", "error", "error_description", "detail", "type", "status", "instance"].contains {
            object[$0] is String
        }
            || object["status"] is Int
    }

    private static func code(of object: [String: Any]) -> String? {
        for key in ["code", "error_code"] {
            if let text = object[key] as? String { return shortened(text) }
            if let number = object[key] as? Int { return String(number) }
        }
        if object["error_description"] is String, let error = object["error"] as? String { return shortened(error) }
        guard isHead(object) || object["title"] is String else { return nil }
        return (object["type"] as? String).flatMap { $0 == "about:blank" ? nil : shortened($0) }
    }

    /// Stripe's and Google's `{"error": {…}}`.
    private mutating func readError(_ error: [String: Any]) {
        let hasPlace = Self.place(of: error) != nil
        if hasPlace { readElement(error, at: []) }
        let hasWords = Self.messageKeys.contains { error[$0] is String }
        guard hasWords || error["code"] != nil else { return readErrors(error) }
        read(error, mayBeBare: false)
    }

    /// As in `{"title": ["…"]}`.
    private mutating func readBare(_ key: String, _ value: Any?, isBare: Bool) {
        switch value {
        case is String:
            guard isBare, names.isKnown([.key(key)]) else { return }
        case is [Any], is [String: Any]:
            guard message == nil || FieldNames.isWholeObject(key) || names.isKnown([.key(key)]) else { return }
        default: return
        }
        readFields(value, at: FieldNames.components(of: key))
    }

    /// Active Record joins full messages: "Validation failed: Title can't be blank, Note is too short".
    private mutating func readSentence(_ text: String) {
        let prefix = "Validation failed: "
        guard text.hasPrefix(prefix) else { return }
        var messages: [String] = []
        for part in text.dropFirst(prefix.count).split(separator: ", ").map(String.init) {
            if fullMessages.split(part) != nil || messages.isEmpty {
                messages.append(part)
            } else {
                messages[messages.count - 1] += ", " + part
            }
        }
        for message in messages where fullMessages.split(message) != nil { add(fullMessage: message) }
    }

    // MARK: Lists of errors

    private mutating func readErrors(_ errors: Any?) {
        switch errors {
        case let errors as [String: Any]:
            // Phoenix replies {"errors": {"detail": "Not Found"}}.
            if errors.count == 1, let text = errors["detail"] as? String, !names.isKnown([.key("detail")]) {
                message = message ?? Self.shortened(text)
            } else if let key = listKey(in: errors) {
                readErrors(errors[key])
            } else {
                readFields(errors, at: [])
            }
        case let errors as [Any]: readList(errors, at: [])
        case let text as String: add(fullMessage: text)
        default: break
        }
    }

    /// nil if the keys are properties.
    private func listKey(in errors: [String: Any]) -> String? {
        Self.listKeys.first { key in
            let list = errors[key] as? [Any] ?? []
            return !names.isKnown([.key(key)]) && list.contains { ($0 as? [String: Any]).flatMap(Self.place) != nil }
        }
    }

    private mutating func readList(_ errors: [Any], at path: [FieldNames.Component]) {
        for (index, error) in errors.enumerated() {
            switch error {
            case let text as String: path.isEmpty ? add(fullMessage: text) : add(text, at: path)
            case let error as [String: Any] where Self.text(of: error) != nil || Self.place(of: error) != nil:
                if code == nil, errors.count == 1 { code = Self.code(of: error) }
                readElement(error, at: path)
            case let error as [String: Any] where Self.listKeys.contains { error[$0] is [Any] }:
                for key in Self.listKeys { readErrors(error[key]) }
            // Such a list also has elements that are right.
            case let error as [String: Any]: readFields(error, at: path + [.index(index)])
            default: continue
            }
        }
    }

    private mutating func readElement(_ error: [String: Any], at path: [FieldNames.Component]) {
        let text = Self.text(of: error) ?? "invalid"
        if let place = Self.place(of: error) {
            add(text, at: path + place)
        } else {
            add(text, at: path)
        }
    }

    private static func text(of error: [String: Any]) -> String? {
        let keys = [
            "message", "detail", "msg", "reason", "defaultMessage", "description", "diagnostics", "title",
        ]
        let words = keys.lazy.compactMap { error[$0] as? String }.first
        let details = (error["details"] as? [String: Any])?["text"] as? String
        return words ?? details ?? error["code"] as? String ?? error["error"] as? String
    }

    private static func place(of error: [String: Any]) -> [FieldNames.Component]? {
        for source in [error["source"] as? [String: Any], error].compactMap(\.self) {
            if let pointer = source["pointer"] as? String { return FieldNames.components(ofPointer: pointer) }
            if let parameter = source["parameter"] as? String { return FieldNames.components(of: parameter) }
        }
        // FHIRPath begins with the resource's type.
        if let path = (error["expression"] as? [String])?.first {
            let components = FieldNames.components(of: path)
            return path.first?.isUppercase == true ? Array(components.dropFirst()) : components
        }
        for key in ["field", "param", "propertyPath", "property", "name", "path", "attribute", "location", "target"] {
            // It may be the error's name: `ValidationError`.
            guard let name = error[key] as? String, key != "name" || !name.hasSuffix("Error") else { continue }
            return FieldNames.components(of: name)
        }
        guard let parts = (error["loc"] ?? error["path"]) as? [Any] else { return nil }
        let components = parts.compactMap(FieldNames.component)
        return components.first == .key("body") ? Array(components.dropFirst()) : components
    }

    // MARK: Errors by field

    private mutating func readFields(_ value: Any?, at path: [FieldNames.Component]) {
        switch value {
        case let text as String: add(text, at: path)
        case let list as [Any]: readList(list, at: path)
        case let object as [String: Any]:
            // {"title": {"message": "…", "kind": "required"}}
            if !path.isEmpty, let text = object["message"] as? String { return add(text, at: path) }
            for key in object.keys.sorted() { readFields(object[key], at: path + FieldNames.components(of: key)) }
        default: break
        }
    }

    private mutating func add(_ text: String, at path: [FieldNames.Component]) {
        guard takesMore() else { return }
        isValidation = isValidation || !path.isEmpty
        if let name = names.swiftName(of: path) {
            fields[name, default: []].append(Self.shortened(text))
        } else {
            objectErrors.append(Self.shortened(text))
        }
    }

    /// As in "Title can't be blank".
    private mutating func add(fullMessage text: String) {
        guard let (name, rest) = fullMessages.split(text) else { return add(text, at: []) }
        guard takesMore() else { return }
        isValidation = true
        fields[name, default: []].append(Self.shortened(rest))
    }

    private mutating func takesMore() -> Bool {
        count += 1
        return count <= Self.countLimit
    }

    private static func shortened(_ text: String) -> String { String(text.prefix(textLimit)) }
}
