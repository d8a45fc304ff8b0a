/// What is known about an API's names: how it writes words in JSON, and which words it has for which words in Swift.
///
/// ```swift
/// let conventions = NamingConventions.github.registering(json: "repo", swift: "repository")
/// ```
///
/// Every name that a model declares is turned into its JSON name by these, once, when a store opens; an explicit name
/// in the declaration beats them all. Where several conventions match the same words,
/// - the one with the most words is taken,
/// - among equals a model's own before its superclass's, then those registered here, then those that came with
///   the ready value,
/// - among those again the one registered last.
///
/// A registry is a value: registering returns a new one, and nothing is shared.
public struct NamingConventions: Hashable, Sendable {
    /// How the API writes the words of a name.
    public var jsonCase: JSONCase

    /// The conventions with where they come from, the oldest first.
    private(set) var entries: [Entry]

    struct Entry: Hashable, Sendable {
        let convention: NamingConvention
        /// Where the convention comes from, for explanations: "default convention".
        let origin: String
    }

    /// A registry of the given conventions and no others, not even the default ones.
    ///
    /// - Parameters:
    ///   - conventions: The conventions, the oldest first: where two match the same words, the later one is taken.
    ///   - jsonCase: How the API writes the words of a name.
    public init(_ conventions: [NamingConvention] = [], jsonCase: JSONCase = .snakeCase) {
        self.jsonCase = jsonCase
        self.entries = conventions.map { Entry(convention: $0, origin: Self.registeredOrigin) }
    }

    /// All conventions, the oldest first.
    public var conventions: [NamingConvention] {
        entries.map(\.convention)
    }

    /// The same registry with one more convention, which is taken before those that match as many words.
    ///
    /// - Parameters:
    ///   - json: The word or words in JSON, such as `repo`.
    ///   - swift: The word or words in Swift, such as `repository`.
    public func registering(json: String, swift: String) -> NamingConventions {
        registering(NamingConvention(json: json, swift: swift))
    }

    /// The same registry with more conventions, of which the last is taken first among those that match as many
    /// words.
    public func registering(_ conventions: NamingConvention...) -> NamingConventions {
        registering(conventions, origin: Self.registeredOrigin)
    }

    /// The same registry for an API that writes the words of its names in another case.
    public func writing(_ jsonCase: JSONCase) -> NamingConventions {
        var copy = self
        copy.jsonCase = jsonCase
        return copy
    }

    func registering(_ conventions: [NamingConvention], origin: String) -> NamingConventions {
        var copy = self
        copy.entries += conventions.map { Entry(convention: $0, origin: origin) }
        return copy
    }

    private static let registeredOrigin = "registered convention"
}
