/// A method, a path pattern, and the function that replies.
struct Route: Sendable {
    typealias Handler = @Sendable (inout World, Call) throws(Refusal) -> Reply

    let method: String
    /// The segments of the pattern; those that begin with a colon are parameters.
    let pattern: [String]
    let handler: Handler
    /// The address of its documentation, which error replies name.
    let documentation: String

    init(_ method: String, _ pattern: String, documentation: String, handler: @escaping Handler) {
        self.method = method
        self.pattern = Route.segments(of: pattern)
        self.handler = handler
        self.documentation = "\(Refusal.documentationRoot)/\(documentation)"
    }

    /// The parameters by name where the path is this route's; nil otherwise.
    func parameters(in segments: [String]) -> [String: String]? {
        guard segments.count == pattern.count else { return nil }
        var parameters: [String: String] = [:]
        for (segment, part) in zip(segments, pattern) {
            if part.hasPrefix(":") {
                parameters[String(part.dropFirst())] = segment
            } else if part != segment {
                return nil
            }
        }
        return parameters
    }

    static func segments(of path: String) -> [String] {
        path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    }
}
