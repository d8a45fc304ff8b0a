/// Which limits count for which paths of an API: declared, or learnt from what its replies name.
///
/// While the replies have named one resource only, all paths are taken to be its. A path of which nothing is known is
/// held back by no limit, so that its reply tells.
struct ResourceMap: Sendable {
    /// A resource: the names of the limits that count for it.
    struct ID: Hashable, Sendable {
        fileprivate(set) var index: Int

        /// Nothing is known.
        static let unknown = ID(index: 0)
    }

    /// As servers make up names, no more than these are kept.
    private static let capacity = 256

    private var names: [[String]] = [[]]
    private var declared: [(prefix: [UInt8], id: ID)] = []
    /// By the first segment of the path.
    private var byFirst: [Substring: ID] = [:]
    /// By the first and the last segment, where others of the first are another resource's.
    private var byEnds: [Substring: [Substring: ID]] = [:]
    /// Grows when a path may be another resource's than before.
    private(set) var version = 0

    /// - Parameter resources: names by the beginnings of paths.
    init(_ resources: [String: String]) {
        for (prefix, name) in resources.sorted(by: { ($0.key.count, $0.key) > ($1.key.count, $1.key) }) {
            if let id = id(of: [name]) { declared.append((Array(prefix.utf8), id)) }
        }
    }

    /// The names of a resource's limits.
    subscript(id: ID) -> [String] { names[id.index] }

    /// The resource of a path below the base URL.
    func resource(of path: Substring) -> ID {
        // No other has been named.
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

    /// A reply has named its limits; the path was taken to be of `guess`.
    mutating func learn(_ path: Substring, _ limits: [LimitStatement.Quota], guess: ID) {
        let isAsGuessed = names[guess.index].elementsEqual(limits.lazy.map(\.name))
        // With several resources a guess is what is known already.
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

    /// Whether a path begins with the segments of another: `/searches` doesn't with `/search`.
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
