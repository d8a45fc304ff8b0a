import SwiftSyntax

/// How far a declaration can be seen.
enum AccessLevel: String {
    case `private`, `fileprivate`, `internal`, package, `public`, open

    /// The level that `modifiers` spell, not counting that of a setter (`private(set)`); `nil` if they specify none.
    init?(_ modifiers: DeclModifierListSyntax) {
        let spelled = modifiers.lazy.filter { $0.detail == nil }.compactMap { AccessLevel(rawValue: $0.name.text) }
        guard let level = spelled.first else { return nil }
        self = level
    }

    /// The modifier of a declaration beside one of this level, with a space after it.
    ///
    /// For a `private` one it is `fileprivate`, since declarations inside a nested type must reach their surroundings;
    /// for an `open` one `public`, since nothing that is emitted can be overridden.
    var prefix: String {
        switch self {
        case .private, .fileprivate: "fileprivate "
        case .open, .public: "public "
        case .internal, .package: "\(rawValue) "
        }
    }
}

extension AccessLevel? {
    /// ``AccessLevel/prefix``, empty if none was spelled.
    var prefix: String { self?.prefix ?? "" }
}
