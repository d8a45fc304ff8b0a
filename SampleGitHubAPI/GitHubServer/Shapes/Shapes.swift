#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Renders the world's data in the shapes of GitHub's REST API.
struct Shapes: Sendable {
    let world: World
    let baseURL: String
    let viewer: Viewer

    func api(_ path: String) -> String { baseURL + path }

    /// An address of the web site, which is GitHub's own.
    func web(_ path: String) -> String { "https://github.com" + path }

    func path(of repository: Repository) -> String { "/repos/" + world.fullName(of: repository) }

    /// The address at which `Link` headers continue a list of a repository.
    func permanentPath(of repository: Repository) -> String { "/repositories/\(repository.id)" }

    /// The identifier of GitHub's GraphQL API, in its first form: the length of the type, the type, the identifier.
    static func nodeID(_ type: String, _ id: Int) -> String {
        Data("0\(type.count):\(type)\(id)".utf8).base64EncodedString()
    }

    func association(of userID: Int?, in repository: Repository) -> String {
        guard let userID else { return "NONE" }
        if userID == repository.ownerID { return "OWNER" }
        return repository.collaboratorIDs.contains(userID) ? "COLLABORATOR" : "NONE"
    }

    /// The reactions, which are always zero here.
    func reactions(at url: String) -> JSON {
        .object { reactions in
            reactions.put("url", url + "/reactions")
            for kind in ["total_count", "+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes"] {
                reactions.put(kind, 0)
            }
        }
    }
}
