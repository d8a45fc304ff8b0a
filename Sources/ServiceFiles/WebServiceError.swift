/// A mistake in a service file, or in a call of one of its methods.
public enum WebServiceError: Error, Sendable, Hashable {
    /// The file is missing, or in a format other than property list, JSON and YAML.
    case unreadable(file: String, reason: String)
    /// The file has mistakes; these are all of them.
    case invalid(file: String, [WebServiceProblem])
    /// The name of the method is unknown. `nearest` is the most similar name.
    case unknownMethod(String, nearest: String?, methods: [String])
    /// A method was called with the wrong number or kinds of arguments. The call ended before its request.
    case arguments(signature: String, reason: String)
    /// The reply's objects belong to another API than the service, by their model or their store. The call ended before
    /// its request.
    case otherAPI(service: String, store: String)
}

/// A mistake in a service file.
public struct WebServiceProblem: Sendable, Hashable {
    /// The keys that lead to the mistake: `downloadImage.request.pth`.
    public let path: String
    /// The line of the last key, from 1; nil for a binary property list.
    public let line: Int?
    /// The mistake, and the correction.
    public let reason: String

    package init(path: String, line: Int?, reason: String) {
        (self.path, self.line, self.reason) = (path, line, reason)
    }
}

extension WebServiceProblem: CustomStringConvertible {
    /// For example `line 7, downloadImage.request: "pth" is no key of a request; did you mean "path"?`.
    public var description: String {
        let place = [line.map { "line \($0)" }, path.isEmpty ? nil : path].compactMap(\.self).joined(separator: ", ")
        return place.isEmpty ? reason : "\(place): \(reason)"
    }
}

extension WebServiceError: CustomStringConvertible {
    /// The mistake, its place, and the way to solve it, without the values of arguments.
    public var description: String {
        switch self {
        case .unreadable(let file, let reason): "The service file \(file) can't be read: \(reason)."
        case .invalid(let file, let problems):
            "The service file \(file) has \(problems.count == 1 ? "a mistake" : "\(problems.count) mistakes"):\n"
                + problems.map { "- \($0)" }.joined(separator: "\n")
        case .unknownMethod(let name, let nearest, let methods):
            "The service has no method \"\(name)\""
                + (nearest.map { "; did you mean \"\($0)\"?" } ?? ".")
                + " It has \(methods.isEmpty ? "none" : methods.joined(separator: ", "))."
        case .arguments(let signature, let reason): "\(signature) was called wrongly: \(reason). Nothing was sent."
        case .otherAPI(let service, let store):
            """
            The service sends to \(service), and the store has these objects from \(store). Open the store with the \
            service's API, and name it in the model where the store has several. Nothing was sent.
            """
        }
    }
}
