/// A request that has passed the gate and found its route.
struct Call: Sendable {
    let request: Incoming
    let query: Query
    /// The values of the route's parameters, decoded, by name.
    let parameters: [String: String]
    let viewer: Viewer
    /// Where the server listens, such as `http://127.0.0.1:8080`: the beginning of all URLs it makes.
    let baseURL: String

    func parameter(_ name: String) -> String { parameters[name] ?? "" }

    func number(_ name: String) throws(Refusal) -> Int {
        guard let number = Int(parameter(name)) else { throw .notFound }
        return number
    }

    func shapes(of world: World) -> Shapes { Shapes(world: world, baseURL: baseURL, viewer: viewer) }
}
