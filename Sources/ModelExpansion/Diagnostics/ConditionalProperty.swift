import SwiftSyntax

/// `#if DEBUG var trace = "" #endif`: the compiled branch is unknown to a macro, and a file has one set of columns.
enum ConditionalProperty: ModelRule {
    static func findings(in model: DeclaredModel) -> [Finding] {
        findings(in: model.syntax.memberBlock, of: "@Model")
    }

    /// - Parameter macro: for the message.
    static func findings(in members: MemberBlockSyntax, of macro: String) -> [Finding] {
        members.members.flatMap { stored(in: $0.decl) }
            .filter { $0.attributes[named: "Transient"] == nil }
            .map { property in
                let message =
                    "'\(macro)' can't see which branch of '#if' is compiled; declare the property outside, "
                    + "or mark it '@Transient'"
                return Finding(Self.self, at: property, message, remedies: [.marking("@Transient", property)])
            }
    }

    private static func stored(in declaration: DeclSyntax) -> [VariableDeclSyntax] {
        guard let condition = declaration.as(IfConfigDeclSyntax.self) else { return [] }
        let members = condition.clauses.flatMap {
            $0.elements?.as(MemberBlockItemListSyntax.self).map(Array.init) ?? []
        }
        return members.flatMap { member in
            let own = member.decl.as(VariableDeclSyntax.self).map { [$0] } ?? []
            return own.filter(\.isStoredInInstances) + stored(in: member.decl)
        }
    }
}
