import SwiftSyntax

/// The arguments of `@Model`. Only literals are read here; other expressions are passed on.
struct ModelArguments {
    let list: LabeledExprListSyntax?
    let baseURL: StringLiteral?
    /// Whether there is a base URL, as a literal or other expression.
    let hasBaseURL: Bool
    /// The literal URLs of single verbs, and of one object.
    let urls: [StringLiteral]
    let key: StringLiteral?
    let identity: [StringLiteral]
    let indexes: [StringLiteral]
    let natural: [StringLiteral]
    /// Whether there is an `identity:`, as a literal or other expression.
    let namesIdentity: Bool
    /// The discriminator attribute, if it is a literal.
    let discriminator: StringLiteral?
    /// Whether there is a `discriminator:`, as a literal or other expression.
    let namesDiscriminator: Bool
    /// The class in `inherits:`.
    let parent: ExprSyntax?
    /// Whether objects lack an identity. Only the literal `false` denies it, because an expression may be `true`.
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
    fileprivate var elements: [ExprSyntax] { self.as(ArrayExprSyntax.self)?.elements.map(\.expression) ?? [] }
}
