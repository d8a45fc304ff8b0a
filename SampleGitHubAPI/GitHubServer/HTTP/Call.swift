/// A request that has found its route.
struct Call: Sendable {
    let request: Incoming
    let query: Query
    /// Decoded, by name.
    let parameters: [String: String]
    let viewer: Viewer
    /// The beginning of all URLs in replies.
    let baseURL: String

    func parameter(_ name: String) -> String { parameters[name] ?? "" }

    func number(_ name: String) throws(Refusal) -> Int {
        guard let number = Int(parameter(name)) else { throw .notFound }
        return number
    }

    func shapes(of world: World) -> Shapes { Shapes(world: world, baseURL: baseURL, viewer: viewer) }
}
