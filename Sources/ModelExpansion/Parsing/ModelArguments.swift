import SwiftSyntax

/// The arguments of `@Model`. Those that aren't literals are passed on unread.
struct ModelArguments {
    let list: LabeledExprListSyntax?
    let baseURL: StringLiteral?
    /// Whether there is a base URL, literal or not.
    let hasBaseURL: Bool
    /// The literal URLs of single verbs, and of one object.
    let urls: [StringLiteral]
    let key: StringLiteral?
    let identity: [StringLiteral]
    /// The literal names in `indexes:`.
    let indexes: [StringLiteral]
    /// The literal names in `natural:`.
    let natural: [StringLiteral]
    /// Whether there is an `identity:`, literal or not.
    let namesIdentity: Bool
    /// The discriminator attribute, if it is a literal.
    let discriminator: StringLiteral?
    /// Whether there is a `discriminator:`, literal or not.
    let namesDiscriminator: Bool
    /// The class in `inherits:`.
    let parent: ExprSyntax?
    /// Whether objects have no identity. True for anything but `false`, because an expression may be `true`.
    let isEmbedded: Bool
    /// Whether there is only one object. True for anything but `false`.
    let isSingular: Bool

    /// The arguments that are URL templates, besides the base URL.
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
    /// The elements of an array literal.
    fileprivate var elements: [ExprSyntax] { self.as(ArrayExprSyntax.self)?.elements.map(\.expression) ?? [] }
}
