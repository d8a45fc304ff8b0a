extension APIConventions {
    /// What wraps one object and a list.
    ///
    /// | | an object | a list |
    /// |---|---|---|
    /// | ``none`` | `{"id": 1}` | `[{"id": 1}]` |
    /// | ``byName`` | `{"issue": {"id": 1}}` | `{"issues": [{"id": 1}]}` |
    /// | ``keyed(_:)`` `"data"` | `{"data": {"id": 1}}` | `{"data": [{"id": 1}]}` |
    /// | ``lists(_:)`` `"items"` | `{"id": 1}` | `{"items": [{"id": 1}]}` |
    ///
    /// Replies are read tolerantly: what stands at the key where there is one, the body itself where there is none.
    public struct Envelopes: Sendable, Hashable {
        /// Where an object may stand in a reply; the first that is there counts.
        public var object: [Key]
        /// Where a list may stand in a reply.
        public var list: [Key]
        /// Where an object stands in a request; `nil` for the body itself.
        public var sent: Key?

        public init(object: [Key] = [], list: [Key] = [], sent: Key? = nil) {
            self.object = object
            self.list = list
            self.sent = sent
        }

        /// The object or list itself is the body.
        public static let none = Envelopes()
        /// By the model's name in the API's letter case, singular and plural, in replies and requests.
        public static let byName = Envelopes(object: [.modelName], list: [.modelName], sent: .modelName)
        /// At one key or key path, `"data"` or `"response.result"`, in replies and requests.
        public static func keyed(_ key: Key) -> Envelopes { Envelopes(object: [key], list: [key], sent: key) }
        /// Lists alone, in replies, at one key or key path: `"items"`, `"results"`.
        public static func lists(_ key: Key) -> Envelopes { Envelopes(list: [key]) }
    }
}

extension APIConventions.Envelopes {
    /// A key that leads into an envelope.
    public enum Key: Sendable, Hashable, ExpressibleByStringLiteral {
        /// The model's name in the API's letter case: `pull_request`, and `pull_requests` for a list.
        case modelName
        /// This key, or key path with dots between the keys.
        case key(String)

        public init(stringLiteral value: String) { self = .key(value) }
    }
}
