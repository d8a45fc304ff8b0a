import Foundation

/// The contents of a body by an independent count: Foundation's own reader, and the keys under which the models are
/// nested.
struct JSONOracle {
    /// By model: the keys that lead to other models.
    private static let shapes: [String: [(key: String, model: String)]] = [
        "User": [],
        "Repository": [("owner", "User")],
        "Label": [],
        "Milestone": [("creator", "User")],
        "Issue": [
            ("user", "User"), ("assignees", "User"), ("labels", "Label"), ("milestone", "Milestone"),
            ("repository", "Repository"),
        ],
        "Comment": [("user", "User")],
        "PullRequest": [
            ("user", "User"), ("assignees", "User"), ("labels", "Label"), ("milestone", "Milestone"),
            ("base.repo", "Repository"), ("head.repo", "Repository"),
        ],
        "Release": [("author", "User"), ("assets", "Asset")],
        "Asset": [("uploader", "User")],
    ]

    /// By model: the distinct identities.
    private(set) var identities: [String: Set<Int>] = [:]
    /// By model and identity: the texts that the body has for the key, of which the last is to be stored.
    private(set) var texts: [String: [Int: Set<String>]] = [:]
    /// By model and identity: the contents that the body has for it, of which each import writes all that differ from
    /// the one before.
    private var contents: [String: [Int: Set<NSDictionary>]] = [:]
    /// How many objects lack an identity, or are in the place of one.
    private(set) var rejected = 0

    static let textKeys = [
        "User": "login", "Repository": "full_name", "Issue": "title", "Label": "name", "Milestone": "title",
        "Comment": "body", "PullRequest": "title", "Release": "tag_name", "Asset": "name",
    ]

    init(_ body: Data, _ model: String, keyPath: String?) throws {
        var root = try JSONSerialization.jsonObject(with: body)
        if let keyPath { root = (root as? [String: Any])?[keyPath] ?? NSNull() }
        for element in root as? [Any] ?? [root] { count(element, model) }
    }

    private mutating func count(_ value: Any, _ model: String) {
        guard let object = value as? [String: Any] else {
            rejected += 1
            return
        }
        for (key, target) in Self.shapes[model] ?? [] {
            switch Self.value(at: key, object) {
            case let list as [Any]: for element in list where !(element is NSNull) { count(element, target) }
            case let nested as [String: Any]: count(nested, target)
            default: break
            }
        }
        guard let identity = object["id"] as? Int ?? (object["id"] as? String).flatMap({ Int($0) }) else {
            rejected += 1
            return
        }
        identities[model, default: []].insert(identity)
        contents[model, default: [:]][identity, default: []].insert(object as NSDictionary)
        if let key = Self.textKeys[model], let text = object[key] as? String {
            texts[model, default: [:]][identity, default: []].insert(text)
        }
    }

    /// How many objects the body has with different contents.
    var ambiguous: Int { contents.values.reduce(0) { $0 + $1.values.count { $0.count > 1 } } }

    private static func value(at path: String, _ object: [String: Any]) -> Any? {
        path.split(separator: ".").reduce(object as Any?) { value, key in
            (value as? [String: Any])?[String(key)]
        }
    }
}
