/// The checks before routing.
struct Gate: Sendable {
    /// nil accepts every request.
    let token: String?

    /// Throws 400, 401 or 415.
    func admit(_ request: Incoming, as userID: Int) throws(Refusal) -> Viewer {
        let viewer = try identify(request, as: userID)
        if request.isWrite && viewer.userID == nil { throw .requiresAuthentication }
        if let version = request.headers["x-github-api-version"], !Gate.versions.contains(version) {
            throw .unsupportedVersion(version)
        }
        if let accept = request.headers["accept"], !Gate.accepts(accept) { throw .unsupportedAccept(accept) }
        return viewer
    }

    private func identify(_ request: Incoming, as userID: Int) throws(Refusal) -> Viewer {
        guard let authorization = request.headers["authorization"] else {
            return Viewer(userID: token == nil ? userID : nil, hasCredentials: false)
        }
        let parts = authorization.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, ["bearer", "token"].contains(parts[0].lowercased()),
            token == nil || parts[1] == token ?? ""
        else { throw .badCredentials }
        return Viewer(userID: userID, hasCredentials: true)
    }

    static let versions = ["2022-11-28", "2026-03-10"]

    static func accepts(_ accept: String) -> Bool {
        accept.split(separator: ",").contains { range in
            let type = range.split(separator: ";")[0].lowercased().filter { $0 != " " }
            return ["*/*", "application/*", "application/json"].contains(type)
                || type.hasPrefix("application/vnd.github")
        }
    }

    /// GitHub rejects a request that lacks a `User-Agent`.
    static func turnsAway(_ request: Incoming) -> Reply? {
        guard request.headers["user-agent"]?.isEmpty ?? true else { return nil }
        let text = """
            \r\nRequest forbidden by administrative rules. Please make sure your request has a User-Agent header \
            (https://docs.github.com/rest/overview/resources-in-the-rest-api#user-agent-required). \
            Check https://developer.github.com for other possible causes.\r\n
            """
        return Reply(status: 403, body: .html(text))
    }
}
