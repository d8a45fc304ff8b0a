import SwiftSyntax

/// As much of a type as its text shows.
indirect enum TypeShape: Equatable {
    /// The library's own value types, by name.
    case value(String)
    /// A model, an enum or any other type, by name.
    case named(String)
    case optional(TypeShape)
    case implicitlyUnwrapped(TypeShape)
    case array(TypeShape)
    case dictionary
    case set
    /// Certainly a value: a tuple, a function, a generic type.
    case other

    var isOptional: Bool {
        if case .optional = self { true } else { false }
    }

    /// `X?` or `[X]`, where `X` may be a model.
    var mayReferenceModels: Bool {
        switch self {
        case .optional(.named), .array(.named): true
        default: false
        }
    }
}

extension TypeShape {
    init(_ type: TypeSyntax) {
        if let optional = type.as(OptionalTypeSyntax.self) {
            self = .optional(TypeShape(optional.wrappedType))
        } else if let unwrapped = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
            self = .implicitlyUnwrapped(TypeShape(unwrapped.wrappedType))
        } else if let array = type.as(ArrayTypeSyntax.self) {
            self = .array(TypeShape(array.element))
        } else if type.is(DictionaryTypeSyntax.self) {
            self = .dictionary
        } else if let tuple = type.as(TupleTypeSyntax.self), let only = tuple.elements.only, only.firstName == nil {
            self = TypeShape(only.type)
        } else if let named = type.as(IdentifierTypeSyntax.self) {
            self.init(name: named.name.text, module: nil, arguments: named.genericArgumentClause)
        } else if let member = type.as(MemberTypeSyntax.self) {
            self.init(
                name: member.name.text, module: member.baseType.trimmedDescription,
                arguments: member.genericArgumentClause)
        } else {
            self = .other
        }
    }

    private init(name: String, module: String?, arguments: GenericArgumentClauseSyntax?) {
        let isStandard = module.map(ValueTypes.modules.contains) ?? true
        if let arguments {
            self.init(generic: isStandard ? name : "", arguments: arguments.arguments)
        } else if isStandard, ValueTypes.defaults.keys.contains(name) {
            self = .value(name)
        } else {
            self = .named(module.map { "\($0).\(name)" } ?? name)
        }
    }

    private init(generic name: String, arguments: GenericArgumentListSyntax) {
        switch (name, arguments.only?.argument.as(TypeSyntax.self)) {
        case ("Optional", let wrapped?): self = .optional(TypeShape(wrapped))
        case ("Array", let element?): self = .array(TypeShape(element))
        case ("Set", _): self = .set
        case ("Dictionary", _): self = .dictionary
        default: self = .other
        }
    }
}

extension Collection {
    var only: Element? { count == 1 ? first : nil }
}
