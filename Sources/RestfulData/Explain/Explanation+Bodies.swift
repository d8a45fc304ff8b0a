import Conventions
import ObjectStore

extension Explanation {
    /// What of the API's house style is not the plain way: what wraps objects and lists, where pages lead on, the media type.
    var bodies: [[String]] {
        guard let client else { return [] }
        let conventions = client.api.conventions
        let envelope = client.envelopes.envelope(of: table)
        let rule = table.options.envelope == .conventional ? "the API's conventions" : "named in @Model(envelope:)"
        let places = [
            ("an object in a reply", envelope.object, " or bare"), ("a list in a reply", envelope.list, " or bare"),
            ("an object sent", [envelope.sent].filter { !$0.isEmpty }, ""),
        ]
        var rows = places.filter { !$0.1.isEmpty }.map { name, paths, otherwise in
            [name, paths.map { "at \"\($0.joined(separator: "."))\"" }.joined(separator: " or ") + otherwise, rule]
        }
        if conventions.document == .jsonAPI {
            let rule = table.options.resourceType == nil ? "by convention" : "named in @Model(resourceType:)"
            rows.append(["resource type", "\"\(schema.resources.type(of: table.index))\"", rule])
        }
        if let pages = conventions.paging.words { rows.append(["the next page", pages, "the API's conventions"]) }
        if conventions.mediaType != "application/json" {
            rows.append(["media type", conventions.mediaType, "the API's conventions"])
        }
        if conventions.bodies == .form {
            rows.append(["requests", conventions.contentType, "the API's conventions"])
        }
        return rows
    }
}

extension APIConventions.Paging {
    /// `nil` for the plain way.
    fileprivate var words: String? {
        switch self {
        case .linkHeader: nil
        case .nextLink(let key): "the URL at \"\(key)\""
        case .more(let key, let parameter): "\"\(parameter)\" with the last identity, where \"\(key)\" is true"
        case .cursor(let key, let parameter): "\"\(parameter)\" with the value at \"\(key)\""
        case .pageHeader(let name, let parameter): "\"\(parameter)\" with the value of the field \(name)"
        }
    }
}
