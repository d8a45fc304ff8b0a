import SwiftSyntax

/// `enum CodingKeys: String, CodingKey { case fullName = "full_name" }`: macros ignore it.
///
/// Keys that other code of the type uses, such as its own `encode(to:)`, are accepted.
enum UnreadCodingKeys: ModelRule {
    static func findings(in model: DeclaredModel) -> [Finding] {
        findings(in: model.syntax.memberBlock, of: "@Model", with: model.properties)
    }

    /// - Parameter macro: for the message.
    static func findings(
        in members: MemberBlockSyntax, of macro: String, with properties: [DeclaredProperty]
    ) -> [Finding] {
        let mentions = members.tokens(viewMode: .sourceAccurate).filter { $0.text == "CodingKeys" }
        guard mentions.count == 1, let keys = members.members.all.first(where: \.isCodingKeys),
            let name = keys.asProtocol((any NamedDeclSyntax).self)?.name
        else { return [] }
        let message =
            "'\(macro)' doesn't read 'CodingKeys'; write each JSON name at its property, as in "
            + "'\(example(of: keys, properties))'"
        return [
            Finding(Self.self, at: name, message, remedies: remedy(keys, in: members, properties).map { [$0] } ?? [])
        ]
    }

    /// With the first property that needs its own name.
    private static func example(of keys: DeclSyntax, _ properties: [DeclaredProperty]) -> String {
        let names = keys.codingNames ?? [:]
        for property in properties {
            guard let json = names[property.name], property.markers.all.isEmpty, property.naming(json) != nil else {
                continue
            }
            return "\(property.marker(naming: json)) var \(property.spelling)"
        }
        return "@Attribute(\"full_name\") var fullName"
    }

    /// - Returns: `nil` for computed keys, and for keys within an `#if`.
    private static func remedy(
        _ keys: DeclSyntax, in block: MemberBlockSyntax, _ properties: [DeclaredProperty]
    ) -> Remedy? {
        guard let names = keys.codingNames, block.members.contains(where: { $0.decl.id == keys.id }) else { return nil }
        // In one pass, because members have other identities in the tree that `filter` makes.
        let members = block.members.compactMap { member -> MemberBlockItemSyntax? in
            guard member.decl.id != keys.id else { return nil }
            guard let property = properties.first(where: { $0.syntax.id == member.decl.id }),
                let json = names[property.name], let named = property.naming(json)
            else { return member }
            return member.with(\.decl, DeclSyntax(named))
        }
        return Remedy(
            "write the names at the properties", replacing: block,
            with: block.with(\.members, MemberBlockItemListSyntax(members)))
    }
}

extension MemberBlockItemListSyntax {
    /// Including those in all branches of `#if`.
    fileprivate var all: [DeclSyntax] {
        flatMap { member in
            guard let condition = member.decl.as(IfConfigDeclSyntax.self) else { return [member.decl] }
            return condition.clauses.flatMap { $0.elements?.as(MemberBlockItemListSyntax.self)?.all ?? [] }
        }
    }
}

extension DeclSyntax {
    /// The type, or a type alias.
    fileprivate var isCodingKeys: Bool {
        guard asProtocol((any NamedDeclSyntax).self)?.name.text == "CodingKeys" else { return false }
        if self.is(TypeAliasDeclSyntax.self) { return true }
        let clause = asProtocol((any DeclGroupSyntax).self)?.inheritanceClause
        return clause?.inheritedTypes.contains { $0.isNamed("CodingKey") } ?? false
    }

    /// By case; `nil` unless each raw value is a plain literal.
    fileprivate var codingNames: [String: String]? {
        guard let members = self.as(EnumDeclSyntax.self)?.memberBlock.members else { return nil }
        var names: [String: String] = [:]
        for element in members.compactMap({ $0.decl.as(EnumCaseDeclSyntax.self) }).flatMap(\.elements) {
            let name = element.name.identifier?.name ?? element.name.text
            guard let value = element.rawValue?.value else {
                names[name] = name
                continue
            }
            guard let literal = StringLiteral(value) else { return nil }
            names[name] = literal.value
        }
        return names
    }
}

extension DeclaredProperty {
    /// `nil` for a property that has or declares a name, or is transient.
    fileprivate func naming(_ json: String) -> VariableDeclSyntax? {
        guard markers.transient == nil, markers.all.count < 2, syntax.bindings.count == 1, !markers.hasJSONArgument,
            ConventionNames.jsonName(ofProperty: name) != json
        else { return nil }
        if let attribute = markers.attribute {
            return syntax.replacing(attribute, with: attribute.inserting("\"\(json.asKey)\""))
        }
        if let relationship = markers.relationship {
            return syntax.replacing(relationship, with: relationship.inserting("json: \"\(json.asKey)\""))
        }
        return syntax.marked(marker(naming: json))
    }

    fileprivate func marker(naming json: String) -> String {
        // Of an unknown type, these are most likely relationships.
        let startsEmpty = initialValue.map { $0.is(NilLiteralExprSyntax.self) || $0.isEmptyList } ?? true
        let isRelationship = mayBeRelationship && startsEmpty && !isOfNestedType
        return isRelationship ? "@Relationship(json: \"\(json.asKey)\")" : "@Attribute(\"\(json.asKey)\")"
    }

    /// In the same class.
    private var isOfNestedType: Bool {
        guard let annotation, let siblings = syntax.parent?.parent?.as(MemberBlockItemListSyntax.self) else {
            return false
        }
        let names = annotation.tokens(viewMode: .sourceAccurate).map(\.text)
        return siblings.contains { member in
            guard !member.decl.is(ClassDeclSyntax.self) else { return false }
            return member.decl.asProtocol((any NamedDeclSyntax).self).map { names.contains($0.name.text) } ?? false
        }
    }
}

extension AttributeSyntax {
    /// Before the labelled arguments.
    fileprivate func inserting(_ argument: String) -> AttributeSyntax {
        let isLabeled = argument.hasPrefix("json:")
        let arguments = argumentList?.map(\.text) ?? []
        let routes = isLabeled && argumentList?.first.map { $0.label == nil } == true ? 1 : 0
        return replacingArguments(
            with: Array(arguments.prefix(routes)) + [argument] + Array(arguments.dropFirst(routes)))
    }
}

extension String {
    /// As a key path in source code, with dots escaped.
    fileprivate var asKey: String { replacing(".", with: #"\\."#) }
}
