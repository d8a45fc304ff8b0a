import SwiftSyntax

/// The arguments of `@Model`. Those that are no literal are passed on without being looked into.
struct ModelArguments {
    let list: LabeledExprListSyntax?
    let baseURL: StringLiteral?
    let key: StringLiteral?
    let identity: [StringLiteral]
    /// Whether `identity:` is there at all, literal or not.
    let namesIdentity: Bool
    /// Whether its objects have no identity: anything but `false`, as what is no literal may be `true`.
    let isEmbedded: Bool

    init(_ attribute: AttributeSyntax) {
        list = attribute.argumentList
        baseURL = list?.unlabeled.flatMap { StringLiteral($0) }
        key = list?[label: "key"].flatMap { StringLiteral($0) }
        let identity = list?.variadic(label: "identity") ?? []
        self.identity = identity.compactMap { StringLiteral($0) }
        namesIdentity = !identity.isEmpty
        isEmbedded = list?[label: "embedded"].map { $0.trimmedDescription != "false" } ?? false
    }
}
