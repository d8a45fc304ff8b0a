/// An operation of a description: a method and a path.
public struct OpenAPIOperation: Sendable {
    /// The HTTP method in capitals: `GET`.
    public let method: String
    /// The path, with a name in braces for each value: `/users/{id}`.
    public let path: String
    /// The `operationId`; nil if there is none.
    public let id: String?
    /// The summary, or else the description's first line; nil if both are missing.
    public let summary: String?
    /// Whether the operation is deprecated.
    public let isDeprecated: Bool
    package let parameters: [Parameter]
    package let body: Body?
    package let replies: [Reply]

    package struct Parameter: Sendable {
        package let name: String
        /// `path`, `query`, `header` or `cookie`.
        package let location: String
        package let isRequired: Bool
        /// Empty if they are omitted or have a reference.
        package let types: [String]
    }

    package struct Body: Sendable {
        package let isRequired: Bool
        package let content: [Content]
    }

    package struct Reply: Sendable {
        /// `200`, `2XX` or `default`.
        package let status: String
        package let content: [Content]
    }

    package struct Content: Sendable {
        package let mediaType: String
        package let schema: JSONSchema?
    }
}

extension OpenAPIOperation: CustomStringConvertible {
    /// The method and the path.
    public var description: String { "\(method) \(path)" }
}

extension OpenAPIOperation {
    /// Prefers a reply with content. A default reply needs JSON.
    package var success: Reply? {
        replies.first { $0.status.hasPrefix("2") && !$0.content.isEmpty } ?? replies.first { $0.status.hasPrefix("2") }
            ?? replies.first { $0.status == "default" && $0.content.contains { $0.isJSON } }
    }

    package var replySchema: JSONSchema? { success?.content.first { $0.isJSON && $0.schema != nil }?.schema }

    /// As JSON or as a form.
    package var bodySchema: JSONSchema? {
        body?.content.first { ($0.isJSON || $0.isForm) && $0.schema != nil }?.schema
    }

    /// Whether the reply has other bytes than JSON and text, or redirects.
    package var isDownload: Bool {
        guard method == "GET" else { return false }
        if replies.contains(where: { ["301", "302", "303", "307", "308"].contains($0.status) }),
            success?.content.isEmpty ?? true
        {
            return true
        }
        return !(success?.content ?? []).isEmpty && success?.content.contains { $0.isJSON || $0.isText } == false
    }

    package var isStream: Bool {
        let types = success?.content.map(\.mediaType) ?? []
        return !types.isEmpty
            && types.allSatisfy {
                ["text/event-stream", "application/x-ndjson", "application/stream+json"].contains($0)
            }
    }
}

extension OpenAPIOperation.Content {
    /// Also `application/problem+json` and the like.
    package var isJSON: Bool { mediaType.hasSuffix("/json") || mediaType.hasSuffix("+json") || mediaType == "*/*" }
    package var isForm: Bool { mediaType == "application/x-www-form-urlencoded" || mediaType == "multipart/form-data" }
    package var isText: Bool { mediaType.hasPrefix("text/") || mediaType.hasSuffix("xml") }
}
