import Conventions
import Foundation
import ObjectStore

struct FeedRequest {
    let first: RequestURL
    private let feed: ChangeFeed
    /// The parameter for the newest value of an attribute.
    private var since: (parameter: String, attribute: Property)?

    init(
        of model: ModelSchema, _ values: [String: any RouteValueConvertible], at client: APIClient
    ) throws(APIError) {
        guard let feed = model.options.changes ?? client.schema[model.table].options.changes else {
            throw .route(
                .noRoute(
                    of: model.modelName, needs: "its changes, as in @Model(changes: \"/issues?since=:updated_at\")"))
        }
        self.feed = feed
        var template = feed.template
        if feed.kind == .since {
            let parts = template.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
            var kept: [Substring] = []
            for pair in parts.dropFirst().first?.split(separator: "&") ?? [] {
                let sides = pair.split(separator: "=", maxSplits: 1)
                let name = sides.count == 2 ? Self.name(ofPlaceholder: sides[1]) : ""
                if values[name] == nil, let attribute = model.attribute(named: name) {
                    // Unescaped, as parameters are escaped when they are added.
                    since = (sides[0].removingPercentEncoding ?? String(sides[0]), attribute)
                } else {
                    kept.append(pair)
                }
            }
            guard since != nil else {
                let reason =
                    "a parameter that takes an attribute, as in \"/issues?since=:updated_at\", in \"\(template)\""
                throw .route(.noRoute(of: model.modelName, needs: reason))
            }
            template = parts[0] + (kept.isEmpty ? "" : "?" + kept.joined(separator: "&"))
        }
        first = try RequestURL(template, values, query: Call.current.query, at: client)
    }

    /// The name in a placeholder; empty for other text.
    private static func name(ofPlaceholder text: Substring) -> String {
        guard text.first == ":" else { return "" }
        let name = text.dropFirst()
        return String(name.first == "{" && name.last == "}" ? name.dropFirst().dropLast() : name)
    }

    func url(after token: String?, at client: APIClient) throws(APIError) -> RequestURL {
        guard let token else { return first }
        switch feed.kind {
        case .since: return since.map { first.replacing($0.parameter, by: token) } ?? first
        case .token(_, let parameter): return first.replacing(parameter, by: token)
        case .link: return RequestURL(token)
        }
    }

    /// The attribute whose greatest value in replies is the position. A stored object may have a newer value before
    /// earlier changes of others have come.
    var newest: PropertyIndex? { since?.attribute.index }

    /// Whether the position is in the last page's body, which a 304 lacks.
    var isInBody: Bool { since == nil }

    /// The position after the last page; nil if it stays.
    ///
    /// - Parameter newest: the greatest value of ``newest`` in the replies.
    func token(after newest: StoredValue?, _ last: Reply, in context: ObjectContext) -> String? {
        switch feed.kind {
        case .since:
            guard let attribute = since?.attribute, let newest, let table = last.model?.table else { return nil }
            let shape = context.shapes[table, attribute.index]
            return (try? OutboundJSON(attribute.wireText(of: newest, shape)))?.routeText
        case .link(let keyPath):
            let paths = keyPath.alternatives
            let outline = ReplyOutline(
                last.body, at: paths.flatMap { [$0, $0 + ["href"]] }, around: [], with: PageSigns())
            return paths.lazy.compactMap { outline.url(at: $0, of: last.response) }.first
        case .token(let keyPath, _):
            let paths = keyPath.alternatives
            let outline = ReplyOutline(last.body, at: paths, around: [], with: PageSigns())
            let text = paths.lazy.compactMap { outline[$0]?.text }.first
            return text.flatMap { $0.isEmpty ? nil : $0 }
        }
    }
}

extension ModelSchema {
    fileprivate func attribute(named name: String) -> Property? {
        let path = name.split(separator: ".").map(String.init)
        return properties.first { $0.link == nil && $0.list == nil && $0.jsonPath == path }
    }
}
