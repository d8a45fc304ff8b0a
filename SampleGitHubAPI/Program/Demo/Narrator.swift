import GitHubServer

/// Prints each step with its Swift code, its requests and its result.
final class Narrator {
    private let server: GitHubServer
    private let isSilent: Bool
    private var steps: [Step] = []
    private var requestCount = 0

    private struct Step {
        let title: String
        let code: String
        var requests: [RecordedRequest] = []
        var results: [String] = []
    }

    init(_ server: GitHubServer, isSilent: Bool) {
        self.server = server
        self.isSilent = isSilent
    }

    func step(_ title: String, _ code: String) throws {
        steps.append(Step(title: title, code: code))
        try tell(["", Style.bold.applied(to: "\(steps.count). \(title)")])
        try tell(code.split(separator: "\n").map { "     " + Style.cyan.applied(to: String($0)) })
    }

    /// Prints the requests since the last result first.
    func result(_ lines: String...) throws { try result(lines) }

    /// - Parameter isSideBySide: whether concurrent requests have a random order.
    func result(_ lines: [String], isSideBySide: Bool = false) throws {
        var requests = Array(server.requests.dropFirst(requestCount))
        requestCount += requests.count
        if isSideBySide { requests.sort { $0.target < $1.target } }
        if let step = steps.indices.last {
            steps[step].requests += requests
            steps[step].results += lines
        }
        for request in requests {
            try tell(["   → \(request.method) \(request.target)  \(request.status.map(String.init) ?? "no reply")"])
            if !request.body.isEmpty { try tell(["     " + Style.dim.applied(to: request.body.onOneLine)]) }
        }
        try tell(lines.map { "   \($0)" })
    }

    /// For the introduction and the end.
    func tell(_ lines: [String]) throws {
        if !isSilent { try write(lines) }
    }

    /// For `--json`.
    var json: JSON {
        ["steps": .array(steps.map(Self.json))]
    }

    private static func json(_ step: Step) -> JSON {
        [
            "title": JSON(step.title), "swift": JSON(step.code), "result": JSON(step.results),
            "requests": .array(step.requests.map(json)),
        ]
    }

    private static func json(_ request: RecordedRequest) -> JSON {
        [
            "method": JSON(request.method), "target": JSON(request.target), "status": JSON(request.status),
            "body": JSON(request.body.isEmpty ? nil : request.body),
        ]
    }
}
