import GRDB

/// A label, as the server sends it and as the table keeps it.
struct Label: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "label"

    var id: Int
    var nodeID: String
    var url: String
    var name: String
    var summary: String?
    var color: String
    var isDefault: Bool

    enum CodingKeys: String, CodingKey {
        case id, url, name, color
        case nodeID = "node_id"
        case summary = "description"
        case isDefault = "default"
    }
}
