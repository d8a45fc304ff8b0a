struct Route: Sendable {
    typealias Handler = @Sendable (inout World, Call) throws(Refusal) -> Reply

    let method: String
    /// Parameters begin with a colon.
    let pattern: [String]
    let handler: Handler
    /// Named by error replies.
    let documentation: String

    init(_ method: String, _ pattern: String, documentation: String, handler: @escaping Handler) {
        self.method = method
        self.pattern = Route.segments(of: pattern)
        self.handler = handler
        self.documentation = "\(Refusal.documentationRoot)/\(documentation)"
    }

    /// nil for another route's path.
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
