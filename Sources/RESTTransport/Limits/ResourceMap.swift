/// Maps an API's paths to limits: declared ones, and those learned from replies.
///
/// While only one resource is known, it applies to all paths. Requests of an unknown resource pass, and their replies
/// name it.
struct ResourceMap: Sendable {
    /// A list of limit names.
    struct ID: Hashable, Sendable {
        fileprivate(set) var index: Int

        static let unknown = ID(index: 0)
    }

    /// The most resources, and the most learned paths; servers can invent names.
    private static let capacity = 256

    private var names: [[String]] = [[]]
    private var declared: [(prefix: [UInt8], id: ID)] = []
    private var byFirst: [Substring: ID] = [:]
    /// By first and last segment, for paths that differ from others with the same first one.
    private var byEnds: [Substring: [Substring: ID]] = [:]
    /// Changes when a path may have changed its resource.
    private(set) var version = 0

    init(_ resources: [String: String]) {
        for (prefix, name) in resources.sorted(by: { ($0.key.count, $0.key) > ($1.key.count, $1.key) }) {
            if let id = id(of: [name]) { declared.append((Array(prefix.utf8), id)) }
        }
    }

    subscript(id: ID) -> [String] { names[id.index] }

    func resource(of path: Substring) -> ID {
        // Only one resource is known.
        if names.count == 2 { return ID(index: 1) }
        return known(path) ?? .unknown
    }

    private func known(_ path: Substring) -> ID? {
        if !byFirst.isEmpty || !byEnds.isEmpty {
            let first = Self.first(path)
            if let id = byEnds[first]?[Self.last(path)] ?? byFirst[first] { return id }
        }
        return declared.first { Self.begins(path, with: $0.prefix) }?.id
    }

    /// - Parameter guess: The resource assumed for the request.
    mutating func learn(_ path: Substring, _ limits: [LimitStatement.Quota], guess: ID) {
        let isAsGuessed = names[guess.index].elementsEqual(limits.lazy.map(\.name))
        if isAsGuessed, names.count > 2 { return }
        let known = known(path)
        if isAsGuessed, known == guess { return }
        let limits = limits.map(\.name)
        if let known, names[known.index] == limits { return }
        guard let id = id(of: limits) else { return }
        let first = Substring(String(Self.first(path)))
        if known == nil {
            guard byFirst.count < Self.capacity else { return }
            byFirst[first] = id
        } else {
            guard byEnds[first, default: [:]].count < Self.capacity else { return }
            byEnds[first, default: [:]][Substring(String(Self.last(path)))] = id
        }
        version += 1
    }

    /// By whole segments: `/searches` differs from `/search`.
    private static func begins(_ path: Substring, with prefix: [UInt8]) -> Bool {
        if prefix == [slash] { return true }
        guard path.utf8.starts(with: prefix) else { return false }
        return prefix.last == slash
            || path.utf8.dropFirst(prefix.count).first.map { $0 == slash || $0 == query } ?? true
    }

    private mutating func id(of limits: [String]) -> ID? {
        if let index = names.firstIndex(of: limits) { return ID(index: index) }
        guard names.count < Self.capacity else { return nil }
        names.append(limits)
        return ID(index: names.count - 1)
    }

    private static func first(_ path: Substring) -> Substring {
        let rest = path.utf8.first == slash ? path.utf8.dropFirst() : path.utf8[...]
        return Substring(rest.prefix { $0 != slash && $0 != query })
    }

    private static func last(_ path: Substring) -> Substring {
        let path = path.utf8.prefix { $0 != query }
        return Substring(path.lastIndex(of: slash).map { path[path.index(after: $0)...] } ?? path)
    }

    private static let slash = UInt8(ascii: "/")
    private static let query = UInt8(ascii: "?")
}
