import RestfulData

/// An error in the set-up of a ``TestServer``.
public enum TestServerError: Error, Sendable, CustomStringConvertible {
    /// The declarations or conventions contradict each other; all problems together.
    case models([String])
    /// The class is outside the server's models.
    case unknownModel(String)
    /// The model lacks a property with that name.
    case unknownProperty(model: String, name: String, suggestion: String?)
    /// The text is neither a JSON object nor an array of objects.
    case json(model: String)
    /// The server lacks an object with that key.
    case noObject(model: String, key: String)
    /// The server rejects the object, with the reason.
    case refused(model: String, String)
    /// The route is an invalid template, with the reason.
    case template(String, String)

    /// The problem, its place, and the way to solve it.
    public var description: String {
        switch self {
        case .models(let problems): "the test server can't serve its models: \(problems.joined(separator: "; "))"
        case .unknownModel(let name): "\(name) is not one of the test server's models; add it to models:"
        case .unknownProperty(let model, let name, let suggestion):
            "\(model) has no property \"\(name)\"" + (suggestion.map { "; did you mean \"\($0)\"?" } ?? "")
        case .json(let model): "the JSON for \(model) is neither an object nor an array of objects"
        case .noObject(let model, let key): "the test server has no \(model) with the key \"\(key)\"; seed it first"
        case .refused(let model, let why): "the test server refuses the \(model): \(why)"
        case .template(let text, let why): "the route \"\(text)\" is no template: \(why)"
        }
    }
}
