import GeneratedCode
import ServiceFiles

/// An argument of a method of the file.
struct ServiceParameter {
    let name: String
    let type: String
    /// For a comment.
    let about: String

    static func all(of method: ServiceMethod) -> [ServiceParameter] {
        var taken: Set<String> = ["context", "file", "progress", "settings", "service"]
        return method.arguments.enumerated().map { index, written in
            let name = SwiftName.variable(of: written) ?? "argument"
            var unique = name
            var number = name == "argument" ? index + 1 : 2
            if name == "argument" { unique = "argument\(number)" }
            while !taken.insert(unique).inserted {
                unique = "\(name)\(number)"
                number += 1
            }
            let uses = Use.all(of: index, in: method.request)
            let type = method.types[written] ?? Use.type(of: uses)
            return ServiceParameter(name: unique, type: type, about: Use.about(uses))
        }
    }
}

/// Determines the argument's type.
private enum Use: Hashable {
    case path
    case query(String)
    case header(String)
    case parameter(String)
    case form
    case file(String?)
    case body
    case withinBody
    /// In any part of the request.
    case property(String)

    static func all(of index: Int, in request: ServiceMethod.Request) -> [Use] {
        var uses: [Use] = []
        func note(_ value: ServiceValue, whole: (String?) -> Use, key: String? = nil) {
            switch value {
            case .none, .constant: break
            case .list(let elements): for element in elements { note(element, whole: whole, key: key) }
            case .object(let members): for (key, value) in members { note(value, whole: whole, key: key) }
            case .text(let text):
                for place in text.places where place.index == index {
                    let use = place.property.isEmpty ? whole(key) : .property(place.property.joined(separator: "."))
                    if !uses.contains(use) { uses.append(use) }
                }
            }
        }
        note(request.path) { _ in .path }
        note(request.query) { .query($0 ?? "") }
        note(request.header) { .header($0 ?? "") }
        note(request.parameters) { $0.map(Use.parameter) ?? .form }
        note(request.files) { .file($0) }
        note(request.body) { $0 == nil ? .body : .withinBody }
        return uses
    }

    static func type(of uses: [Use]) -> String {
        // An unused argument is the body's data.
        guard !uses.isEmpty else { return "Data" }
        let isText = uses.allSatisfy { use in
            switch use {
            case .path, .query, .header: true
            default: false
            }
        }
        return isText ? "any RouteValueConvertible" : "Any?"
    }

    /// For a comment.
    static func about(_ uses: [Use]) -> String {
        uses.isEmpty ? "the body." : uses.map(\.words).joined(separator: ", and ") + "."
    }

    private var words: String {
        switch self {
        case .path: "stands in the path"
        case .query(let name): "stands in the query, as `\(name)`"
        case .header(let name): "is the header field `\(name)`"
        case .parameter(let name): "is the parameter `\(name)`; nil leaves it out"
        case .form: "has the parameters"
        case .file(let name): "is the file" + (name.map { " `\($0)`" } ?? "") + ": a URL, or `Data`"
        case .body: "is the body: data, a file, a text, a model, or an `Encodable` value"
        case .withinBody: "stands in the body"
        case .property(let name): "gives its `\(name)`"
        }
    }
}
