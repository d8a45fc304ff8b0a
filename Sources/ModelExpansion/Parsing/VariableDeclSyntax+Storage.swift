import SwiftSyntax

extension VariableDeclSyntax {
    var isStoredInInstances: Bool {
        let isOfType = modifiers.contains { [.keyword(.static), .keyword(.class)].contains($0.name.tokenKind) }
        return !isOfType && bindings.contains { !$0.isComputed }
    }

    /// `willSet` and `didSet`.
    var observers: [AccessorDeclSyntax] {
        bindings.flatMap { $0.accessorBlock?.accessorList ?? [] }.filter(\.isObserver)
    }
}

extension PatternBindingSyntax {
    var isComputed: Bool {
        guard let accessorBlock else { return false }
        return accessorBlock.accessors.is(CodeBlockItemListSyntax.self)
            || accessorBlock.accessorList.contains { !$0.isObserver }
    }
}

extension AccessorBlockSyntax {
    var accessorList: [AccessorDeclSyntax] { accessors.as(AccessorDeclListSyntax.self).map(Array.init) ?? [] }
}

extension AccessorDeclSyntax {
    var isObserver: Bool { [.keyword(.willSet), .keyword(.didSet)].contains(accessorSpecifier.tokenKind) }
}
