#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// GitHub's JSON.
struct Shapes: Sendable {
    let world: World
    let baseURL: String
    let viewer: Viewer

    func api(_ path: String) -> String { baseURL + path }

    /// On GitHub's own web site.
    func web(_ path: String) -> String { "https://github.com" + path }

    func path(of repository: Repository) -> String { "/repos/" + world.fullName(of: repository) }

    /// In `Link` headers.
    func permanentPath(of repository: Repository) -> String { "/repositories/\(repository.id)" }

    /// GraphQL's identifier in its first form: the length of the type, the type, the identifier.
    static func nodeID(_ type: String, _ id: Int) -> String {
        Data("0\(type.count):\(type)\(id)".utf8).base64EncodedString()
    }

    func association(of userID: Int?, in repository: Repository) -> String {
        guard let userID else { return "NONE" }
        if userID == repository.ownerID { return "OWNER" }
        return repository.collaboratorIDs.contains(userID) ? "COLLABORATOR" : "NONE"
    }

    /// Always zero.
    func reactions(at url: String) -> JSON {
        .object { reactions in
            reactions.put("url", url + "/reactions")
            for kind in ["total_count", "+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes"] {
                reactions.put(kind, 0)
            }
        }
    }
}
