// Models of Chirp, made of chirp.yaml by `swift package generate-models`.
// A start: rename, remove and correct what you like. `store.check(against:)` compares them with the file.

import Foundation
import RestfulData

/// A user, and what others see of them.
///
/// `GET /api/v1/accounts/{id}`
@Model("/api/v1/accounts")
final class Account {
    var identifier: String?
    /// The name without the host.
    var username = ""
    var displayName: String?
    var locked = false
    var avatar: URL?
    var createdAt: Date?
    var followersCount = 0
    @Relationship(inverse: nil) var fields: [AccountField]
    @Relationship(inverse: nil) var moved: Account?
    /// The language, "en" for example.
    var `default`: String?
    @Attribute("_links") var _links2: [String: String]?
    var links: [String]?
    @Relationship("/api/v1/accounts/:id/statuses", inverse: nil, sentAs: .never, verbs: .fetch)
    var statuses: [Status]
}

/// A status that an account has posted.
///
/// `POST /api/v1/statuses` and `GET, PUT, DELETE /api/v1/statuses/{id}`
@Model("/api/v1/statuses", saveMethod: .put)
final class Status {
    enum Visibility: String { case `public`, unlisted, `private`, direct }

    var identifier: String?
    @Attribute(access: .readOnly) var content = ""
    var text: String?
    var spoilerText: String?
    @Attribute(access: .createOnly) var visibility: Visibility?
    var sensitive = false
    @Attribute(access: .createOnly) var inReplyToIdentifier: String?
    @Relationship(inverse: nil, sentAs: .never) var account: Account?
    /// What is repeated.
    @Relationship(inverse: nil, sentAs: .never) var reblog: Status?
    @Relationship(inverse: nil, sentAs: .never) var mediaAttachments: [MediaAttachment]
    @Relationship(inverse: nil, sentAs: .never) var tags: [Tag]
    @Relationship(inverse: nil, sentAs: .never) var card: PreviewCard?
    @Attribute(access: .readOnly) var editedAt: Date?
    @Relationship(inverse: nil, sentAs: .never) var reactions: StatusReactions?
}

/// `POST /api/v1/media` and `GET /api/v1/media/{id}`
@Model("/api/v1/media")
final class MediaAttachment {
    enum TypeKind: String {
        case unknown
        case image
        case gifv
        case video
        case value3d = "3d"
    }

    var identifier: String?
    @Attribute(access: .readOnly) var type: TypeKind?
    @Attribute(access: .readOnly) var url: URL?
    @Attribute(access: .readOnly) var meta: JSONValue?
    @Attribute("description") var summary: String?
}

/// `GET /api/v1/tags/{name}`
@Model("/api/v1/tags", identity: "name")
final class Tag {
    var name: String?
    var url: URL?
    var following: Bool?
}

@Model(embedded: true)
final class AccountField {
    var name = ""
    var value = ""
    var verifiedAt: Date?
}

/// What a link in a status leads to.
@Model(embedded: true)
final class PreviewCard {
    var title: String?
    var html: String?
    var width: Int?
    @Relationship(inverse: nil) var authors: [PreviewCardAuthor]
}

@Model(embedded: true)
final class StatusReactions {
    @Attribute("+1") var plus1: Int?
    @Attribute("-1") var minus1: Int?
}

@Model(embedded: true)
final class PreviewCardAuthor {
    var name: String?
    var cards: [JSONValue]?
}
