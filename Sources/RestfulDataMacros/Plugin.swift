import ModelExpansion
import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main
struct RestfulDataPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        ModelPropertyMacro.self, ModelRelationshipMacro.self, ModelMacro.self, AttributeMacro.self,
        RelationshipMacro.self, TransientMacro.self, ResponseBodyMacro.self, ModelChoiceMacro.self,
    ]
}

// The compiler asks for a macro by its type's name, this module's name included.

struct ModelMacro: ClassExpansion {}
struct ModelPropertyMacro: PropertyExpansion {}
struct ModelRelationshipMacro: RelationshipExpansion {}
struct AttributeMacro: MarkerExpansion {}
struct RelationshipMacro: MarkerExpansion {}
struct TransientMacro: MarkerExpansion {}
struct ResponseBodyMacro: ResponseExpansion {}
struct ModelChoiceMacro: ChoiceExpansion {}
