import Conventions
import Foundation
import HTTPTypes
import ObjectStore
import RESTTransport

/// Where in a reply its objects stand, and what it says of further pages.
struct ReplyShape {
    /// The keys that lead to the object or list.
    var keyPath: [String] = []
    /// Whether a list stands there.
    var isList = false
    /// Whether `null` stands there.
    var isNull = false
    /// The envelope that should have been there, of a body that is neither in it nor has anything of the model.
    var missing: String?
    /// The page that follows.
    var next: NextPage?
    /// Whether there are pages before.
    var hasPrevious = false

    enum NextPage {
        case url(String)
        /// The same URL again, with a parameter that takes the identity of the last element.
        case after(parameter: String)
        /// The same URL again, with a parameter.
        case same(parameter: String, value: String)
    }
}

extension Bridge {
    /// The shape of a reply about objects of a table.
    ///
    /// - Parameter isList: whether a list was asked for; else an object, for which a list's first will do.
    func shape(of response: APIResponse, _ table: ModelSchema, isList: Bool) -> ReplyShape {
        let envelope = envelopes.envelope(of: table)
        let candidates = (isList ? [] : envelope.object) + envelope.list
        let paging = api.conventions.paging
        let isDocument = api.conventions.document == .jsonAPI
        let links = response.links
        var shape = ReplyShape()
        shape.isList = response.isList
        shape.isNull = response.isNull
        shape.next = links.next.map { .url($0.absoluteString) }
        shape.hasPrevious = links.prev != nil
        if case .pageHeader(let name, let parameter) = paging { shape.read(name, parameter, response) }
        // A body that is a list has nothing around it.
        let pagingPaths = paging.paths
        guard response.hasBody, !response.isList, isDocument || !(candidates + pagingPaths).isEmpty else {
            return shape
        }
        let outline = ReplyOutline(response.body, at: candidates + pagingPaths + (isDocument ? [["data"]] : []))
        guard outline.rootKind == .object else { return shape }
        shape.read(outline, paging, response)
        if isDocument {
            shape.isList = outline[["data"]]?.kind == .array
            shape.isNull = outline[["data"]]?.kind == .null
        } else {
            shape.find(candidates, in: outline, table)
        }
        return shape
    }
}

extension ReplyShape {
    /// - Throws: ``APIError/noObject(model:_:_:)`` where the envelope is missing and nothing else is there.
    func check(_ response: APIResponse, _ table: ModelSchema) throws(APIError) {
        guard let missing else { return }
        let rejection = ImportReport.Rejection(
            path: "the body", model: table.modelName, reason: .noEnvelope(missing: missing))
        throw .noObject(
            model: table.modelName, ImportReport(rejecting: rejection), RequestSummary(response.request))
    }

    /// Takes the first envelope that is there.
    fileprivate mutating func find(_ candidates: [[String]], in outline: ReplyOutline, _ table: ModelSchema) {
        let isObjectItself = table.identity.allSatisfy { outline.keys.contains(table.properties[$0].jsonPath[0]) }
        for path in candidates {
            guard let kind = outline[path]?.kind, [.object, .array, .null].contains(kind) else { continue }
            // A category may have a category of its own.
            if isObjectItself, table.attribute(forJSON: path[0]) != nil { continue }
            keyPath = path
            isList = kind == .array
            isNull = kind == .null
            return
        }
        guard let expected = candidates.first else { return }
        let hasProperties = outline.keys.contains { table.hasProperty(forJSON: $0) }
        if !hasProperties { missing = expected.joined(separator: ".") }
    }

    fileprivate mutating func read(_ outline: ReplyOutline, _ paging: APIConventions.Paging, _ response: APIResponse) {
        switch paging {
        case .linkHeader, .pageHeader: return
        case .nextLink(let key):
            let path = key.keys
            if let url = outline.url(at: path, of: response) { next = .url(url) }
            let hasLink = ["prev", "previous"].contains { outline.url(at: path.with(last: $0), of: response) != nil }
            hasPrevious = hasPrevious || hasLink
        case .more(let key, let parameter):
            if outline[key.keys]?.kind == .true { next = .after(parameter: parameter) }
            hasPrevious = hasPrevious || response.url.hasParameter(parameter)
        case .cursor(let key, let parameter):
            if let value = outline[key.keys], value.kind != .null, let text = value.text, !text.isEmpty {
                next = .same(parameter: parameter, value: text)
            }
            hasPrevious = hasPrevious || response.url.hasParameter(parameter)
        }
    }

    fileprivate mutating func read(_ field: String, _ parameter: String, _ response: APIResponse) {
        guard let name = HTTPField.Name(field), let page = response.headerFields[name], !page.isEmpty else { return }
        next = .same(parameter: parameter, value: page)
    }
}

extension APIConventions.Paging {
    /// What of a body has to be known.
    fileprivate var paths: [[String]] {
        switch self {
        case .linkHeader, .pageHeader: []
        case .nextLink(let key):
            // A link may be an object with an `href` (JSON:API 1.1, "Links").
            ["next", "prev", "previous"].reduce(into: [key.keys, key.keys + ["href"]]) { paths, name in
                let path = key.keys.with(last: name)
                paths += [path, path + ["href"]]
            }
        case .more(let key, _), .cursor(let key, _): [key.keys]
        }
    }
}

extension String {
    fileprivate var keys: [String] { split(separator: ".").map(String.init) }
}

extension [String] {
    /// The key path of what stands beside.
    fileprivate func with(last key: String) -> [String] { dropLast() + [key] }
}

extension ReplyOutline {
    /// The absolute URL at a key path, or in the `href` of an object there.
    fileprivate func url(at path: [String], of response: APIResponse) -> String? {
        guard let text = self[path]?.kind == .object ? self[path + ["href"]]?.text : self[path]?.text,
            self[path]?.kind == .object || self[path]?.kind == .string,
            let url = URL(string: text, relativeTo: response.url)?.absoluteURL, Origin(url) != nil
        else { return nil }
        return url.absoluteString
    }
}

extension URL {
    fileprivate func hasParameter(_ name: String) -> Bool {
        URLComponents(url: self, resolvingAgainstBaseURL: true)?.queryItems?.contains { $0.name == name } ?? false
    }
}

extension ModelSchema {
    /// Whether a key of the model's JSON is a property or the identity of a relationship.
    fileprivate func hasProperty(forJSON key: String) -> Bool {
        // A key path's first key is a property's too.
        names?.inbound.match(key) != nil || identityKeys[key] != nil
            || properties.contains { $0.jsonPath.count > 1 && $0.jsonPath[0] == key }
    }
}
