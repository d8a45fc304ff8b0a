import SwiftSyntax

/// How far a declaration can be seen.
enum AccessLevel: String {
    case `private`, `fileprivate`, `internal`, package, `public`, open

    /// The level that `modifiers` spell, not counting that of a setter (`private(set)`); `nil` where they say nothing.
    init?(_ modifiers: DeclModifierListSyntax) {
        let spelled = modifiers.lazy.filter { $0.detail == nil }.compactMap { AccessLevel(rawValue: $0.name.text) }
        guard let level = spelled.first else { return nil }
        self = level
    }

    /// What a declaration beside one of this level says, with a space after it.
    ///
    /// A `private` one is seen by the file, as declarations inside a nested type must reach their surroundings; an
    /// `open` one is `public`, as nothing that is emitted can be overridden.
    var prefix: String {
        switch self {
        case .private, .fileprivate: "fileprivate "
        case .open, .public: "public "
        case .internal, .package: "\(rawValue) "
        }
    }
}

extension AccessLevel? {
    /// ``AccessLevel/prefix``, empty where nothing was spelled.
    var prefix: String { self?.prefix ?? "" }
}
