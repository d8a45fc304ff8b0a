enum Router {
    struct Match: Sendable {
        let route: Route
        let parameters: [String: String]
    }

    /// GitHub replies 404 instead of 405 for an unsupported method.
    static func match(_ method: String, _ segments: [String]) -> Match? {
        let method = method == "HEAD" ? "GET" : method
        for route in Route.all where route.method == method {
            if let parameters = route.parameters(in: segments) { return Match(route: route, parameters: parameters) }
        }
        return nil
    }

    /// Decodes them, and replaces the undocumented addresses of `Link` headers (`/repositories/1296269/…`,
    /// `/user/583231/…`). Throws 400 or 404.
    static func segments(of path: String, in world: World) throws(Refusal) -> [String] {
        var segments: [String] = []
        for segment in Route.segments(of: path) {
            guard let decoded = PercentEncoding.decoded(segment) else { throw .malformedURL }
            segments.append(decoded)
        }
        guard segments.count >= 2, let id = Int(segments[1]) else { return segments }
        switch segments[0] {
        case "repositories":
            guard let repository = world.repositories.first(where: { $0.id == id }) else { throw .notFound }
            return ["repos"] + Route.segments(of: "/" + world.fullName(of: repository)) + segments.dropFirst(2)
        case "user":
            guard let user = world.user(id) else { throw .notFound }
            return ["users", user.login] + segments.dropFirst(2)
        default: return segments
        }
    }
}
