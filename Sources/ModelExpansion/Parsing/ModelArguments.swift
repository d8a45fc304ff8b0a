import SwiftSyntax

/// The arguments of `@Model`. Those that aren't literals are passed on without being read.
struct ModelArguments {
    let list: LabeledExprListSyntax?
    let baseURL: StringLiteral?
    /// Whether there is one at all, literal or not.
    let hasBaseURL: Bool
    /// The URLs of single verbs, and of one object, that are literals.
    let urls: [StringLiteral]
    let key: StringLiteral?
    let identity: [StringLiteral]
    /// The names in `indexes:` that are literals.
    let indexes: [StringLiteral]
    /// The names in `natural:` that are literals.
    let natural: [StringLiteral]
    /// Whether `identity:` is there at all, literal or not.
    let namesIdentity: Bool
    /// The attribute that distinguishes the classes that inherit from this one, if it is a literal.
    let discriminator: StringLiteral?
    /// Whether `discriminator:` is there at all, literal or not.
    let namesDiscriminator: Bool
    /// The class that `inherits:` names.
    let parent: ExprSyntax?
    /// Whether its objects have no identity: anything but `false`, since what isn't a literal may be `true`.
    let isEmbedded: Bool
    /// Whether there is one such object, likewise.
    let isSingular: Bool

    /// The arguments that are URL templates, beside the base URL.
    static let urlLabels = ["object", "index", "create", "update", "delete"]

    init(_ attribute: AttributeSyntax) {
        list = attribute.argumentList
        hasBaseURL = list?.unlabeled != nil
        baseURL = list?.unlabeled.flatMap { StringLiteral($0) }
        let list = list
        urls = Self.urlLabels.compactMap { list?[label: $0].flatMap { StringLiteral($0) } }
        key = list?[label: "key"].flatMap { StringLiteral($0) }
        let identity = list?.variadic(label: "identity") ?? []
        self.identity = identity.compactMap { StringLiteral($0) }
        namesIdentity = !identity.isEmpty
        natural = (list?[label: "natural"]?.elements ?? []).compactMap { StringLiteral($0) }
        indexes = (list?[label: "indexes"]?.elements ?? []).flatMap(\.elements).compactMap { StringLiteral($0) }
        discriminator = list?[label: "discriminator"].flatMap { StringLiteral($0) }
        namesDiscriminator = list?[label: "discriminator"] != nil
        parent = list?[label: "inherits"]
        isEmbedded = list?[label: "embedded"].map { $0.trimmedDescription != "false" } ?? false
        isSingular = list?[label: "singular"].map { $0.trimmedDescription != "false" } ?? false
    }
}

extension ExprSyntax {
    /// The elements of an array that is written out.
    fileprivate var elements: [ExprSyntax] { self.as(ArrayExprSyntax.self)?.elements.map(\.expression) ?? [] }
}
