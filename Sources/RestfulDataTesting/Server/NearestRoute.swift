import RestfulData

/// Finds the nearest route for an unmatched request.
struct NearestRoute {
    private let routes: [(method: String, pattern: RoutePattern)]

    init(_ declared: [ServerRoute], _ handlers: [ServerHandler]) {
        routes =
            handlers.compactMap { handler in
                handler.method.flatMap { method in handler.pattern.map { (method.rawValue, $0) } }
            }
            + declared.map { ($0.method.rawValue, $0.pattern) }
    }

    /// `the test server has no route for GET /isues; the nearest is GET /issues: "isues" is not "issues"`.
    func text(for request: TestServer.Request) -> String {
        let start = "the test server has no route for \(request.line)"
        let others = routes.filter { !$0.pattern.matches(request.path).isEmpty }.map(\.method)
        guard others.isEmpty else {
            let methods = Set(others).sorted().joined(separator: ", ")
            return "\(start); that path takes \(methods)"
        }
        let own = Self.segments(request.path)
        let measured = routes.map { route in
            (
                route,
                Self.distance(own, Self.segments(route.pattern.text)) * 2
                    + (route.method == request.method.rawValue ? 0 : 1)
            )
        }
        guard let nearest = measured.min(by: { $0.1 < $1.1 })?.0 else {
            return "\(start), and no model has a base URL"
        }
        let difference = Self.difference(own, Self.segments(nearest.pattern.text))
        return "\(start); the nearest is \(nearest.method) \(nearest.pattern.text)\(difference.map { ": \($0)" } ?? "")"
    }

    private static func segments(_ path: String) -> [String] {
        path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    }

    private static func isName(_ segment: String) -> Bool { segment.contains(":") }

    /// The edit distance of the segments. A missing or extra segment counts its length, at most 6, plus 2.
    private static func distance(_ path: [String], _ template: [String]) -> Int {
        let shared = zip(path, template).reduce(0) { sum, pair in
            sum + (isName(pair.1) ? (pair.0.isEmpty ? 3 : 0) : difference(pair.0, pair.1))
        }
        let rest = path.count > template.count ? path[template.count...] : template[path.count...]
        return shared + rest.reduce(0) { $0 + min($1.count, 6) + 2 }
    }

    /// The Levenshtein distance.
    private static func difference(_ left: String, _ right: String) -> Int {
        let (left, right) = (Array(left), Array(right))
        var row = Array(0...right.count)
        for (i, character) in left.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for j in right.indices {
                let cost = diagonal + (character == right[j] ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(cost, row[j] + 1, row[j + 1] + 1)
            }
        }
        return row[right.count]
    }

    private static func difference(_ path: [String], _ template: [String]) -> String? {
        for (own, other) in zip(path, template) where !isName(other) && own != other {
            return "\"\(own)\" is not \"\(other)\""
        }
        if path.count > template.count {
            return "\"/\(path[template.count...].joined(separator: "/"))\" is more than it has"
        }
        guard path.count < template.count else { return nil }
        return "\"/\(template[path.count...].joined(separator: "/"))\" is missing"
    }
}
