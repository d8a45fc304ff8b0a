import Foundation
import RestfulData

// Response types of the shapes that real services have.

/// GitHub's search.
@ResponseBody
struct IssueSearch {
    var totalCount = 0
    var incompleteResults: Bool?
    var items: [Issue]
}

/// Any list in an envelope.
@ResponseBody
struct Page<Item: Model> {
    struct Cursor: Codable, Equatable, Sendable { var after: String }

    var data: [Item]
    @Attribute("meta.total") var total: Int?
    @Attribute("meta.cursor") var cursor: Cursor?
    var meta: Meta
}

@ResponseBody
struct Meta {
    enum Kind: String { case full, partial }

    var kind: Kind = .full
    var price: Decimal?
    var generatedAt: Date?
    @Relationship(json: "requested_by") var requester: User?
}

@ResponseBody
struct Nested {
    @Attribute("a.b.c") var count: Int?
}

/// A body that is no object.
@ResponseBody
struct Everything {
    @Relationship(json: .root) var users: [User]
    @Attribute(.root) var raw: [Handle]?

    struct Handle: Codable, Equatable, Sendable { var login: String }
}

/// Groups of objects, each with values of its own.
@ResponseBody
struct Dashboard {
    var viewer: User?
    var sections: [Section]
    @Transient var isShown = false
}

@ResponseBody
struct Section {
    let title: String?
    var count = -1
    var repositories: [Repository]
    var sections: [Section]
}
