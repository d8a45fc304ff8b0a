import SwiftSyntax
import SwiftSyntaxMacros

/// `struct Page<Item> { @Model final class Entry {} }`, `enum Box { @Model private final class Entry {} }`: the
/// compiler refuses the macro's declarations there, or hides the type from them.
enum MisplacedType {
    /// - Parameter surroundings: the innermost declaration first.
    static func findings(of type: some TypeDeclaration, macro: String, in surroundings: [Syntax]) -> [Finding] {
        let outer = scopes(around: type, in: surroundings)
        let generic = outer.compactMap(\.typeDeclaration).first { $0.genericParameterClause != nil }
        if macro == "@Model", let generic {
            let message =
                "a model can't be within '\(generic.name.text)', which is generic, as it has one table; declare it outside"
            return [Finding(Self.self, at: type.name, message)]
        }
        guard !outer.isEmpty else { return [] }
        if let modifier = type.privateModifier {
            let message = "what '\(macro)' adds beside '\(type.name.text)' can't see it; make it 'fileprivate'"
            let remedy = Remedy(
                "replace 'private' with 'fileprivate'", replacing: modifier.name,
                with: modifier.name.with(\.tokenKind, .keyword(.fileprivate)))
            return [Finding(Self.self, at: modifier, message, remedies: [remedy])]
        }
        let hidden = outer.dropLast().compactMap(\.typeDeclaration).filter { $0.privateModifier != nil }
        return hidden.map { hidden in
            let message =
                "what '\(macro)' adds beside '\(type.name.text)' can't see '\(hidden.name.text)', which it is within; "
                + "make that 'fileprivate'"
            return Finding(Self.self, at: type.name, message)
        }
    }

    /// For macros of a member, the compiler includes the type itself, which is dropped.
    private static func scopes(around type: some TypeDeclaration, in surroundings: [Syntax]) -> [Syntax] {
        let isCounted = surroundings.first?.typeDeclaration?.name.text == type.name.text
        return isCounted ? Array(surroundings.dropFirst()) : surroundings
    }
}

extension ClassDeclSyntax {
    /// Whether the macro's declarations would fail to compile, so that only the error is emitted. The compiler itself
    /// reports classes within functions.
    func isMisplaced(in context: some MacroExpansionContext) -> Bool {
        let isLocal = context.lexicalContext.contains { $0.isCode }
        return isLocal || !MisplacedType.findings(of: self, macro: "@Model", in: context.lexicalContext).isEmpty
    }
}

extension Syntax {
    fileprivate var typeDeclaration: (any TypeDeclaration)? {
        asProtocol((any DeclSyntaxProtocol).self) as? any TypeDeclaration
    }

    fileprivate var isCode: Bool {
        [.functionDecl, .initializerDecl, .deinitializerDecl, .accessorDecl, .subscriptDecl, .closureExpr]
            .contains(kind)
    }
}

protocol TypeDeclaration: DeclSyntaxProtocol {
    var name: TokenSyntax { get }
    var modifiers: DeclModifierListSyntax { get }
    var genericParameterClause: GenericParameterClauseSyntax? { get }
}

extension ClassDeclSyntax: TypeDeclaration {}
extension StructDeclSyntax: TypeDeclaration {}
extension EnumDeclSyntax: TypeDeclaration {}
extension ActorDeclSyntax: TypeDeclaration {}

extension TypeDeclaration {
    fileprivate var privateModifier: DeclModifierSyntax? {
        modifiers.first { $0.name.tokenKind == .keyword(.private) }
    }
}
