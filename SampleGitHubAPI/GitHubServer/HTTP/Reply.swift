struct Reply: Sendable {
    enum Body: Sendable {
        case none
        case json(JSON)
        /// Rendered JSON.
        case text(String)
        case html(String)
    }

    var status: Int
    var body: Body
    var headers: [Header] = []
    /// nil if GitHub omits it.
    var lastModified: Timestamp?

    struct Header: Sendable {
        let name: String
        let value: String
    }

    static func ok(_ json: JSON, lastModified: Timestamp? = nil) -> Reply {
        Reply(status: 200, body: .json(json), lastModified: lastModified)
    }

    /// The `Location` is the thing's address.
    static func created(_ json: JSON, at location: String? = nil) -> Reply {
        Reply(status: 201, body: .json(json), headers: location.map { [Header(name: "Location", value: $0)] } ?? [])
    }

    static let noContent = Reply(status: 204, body: .none)
}
