import SwiftSyntax

enum AccessLevel: String {
    case `private`, `fileprivate`, `internal`, package, `public`, open

    /// Ignores the level of a setter (`private(set)`).
    init?(_ modifiers: DeclModifierListSyntax) {
        let spelled = modifiers.lazy.filter { $0.detail == nil }.compactMap { AccessLevel(rawValue: $0.name.text) }
        guard let level = spelled.first else { return nil }
        self = level
    }

    /// For declarations that belong to one of this level, with a trailing space.
    ///
    /// `private` becomes `fileprivate`, because declarations in a nested type must be visible outside it. `open`
    /// becomes `public`, which Swift requires of members that can't be overridden.
    var prefix: String {
        switch self {
        case .private, .fileprivate: "fileprivate "
        case .open, .public: "public "
        case .internal, .package: "\(rawValue) "
        }
    }
}

extension AccessLevel? {
    var prefix: String { self?.prefix ?? "" }
}
