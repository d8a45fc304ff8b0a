import SwiftSyntax

/// Only literals are read; other expressions are passed on.
struct ModelArguments {
    let list: LabeledExprListSyntax?
    let baseURL: StringLiteral?
    /// As a literal or another expression, like ``namesIdentity``.
    let hasBaseURL: Bool
    /// The templates of single verbs, and of one object.
    let urls: [StringLiteral]
    let key: StringLiteral?
    let identity: [StringLiteral]
    let indexes: [StringLiteral]
    let natural: [StringLiteral]
    let namesIdentity: Bool
    let discriminator: StringLiteral?
    let namesDiscriminator: Bool
    /// In `inherits:`.
    let parent: ExprSyntax?
    /// Only the literal `false` denies it, because an expression may be `true`.
    let isEmbedded: Bool
    /// True for anything but `false`.
    let isSingular: Bool

    /// Besides the base URL.
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
