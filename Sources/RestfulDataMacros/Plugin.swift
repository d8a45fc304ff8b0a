import ModelExpansion
import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main
struct RestfulDataPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        ModelMacro.self, ModelPropertyMacro.self, AttributeMacro.self, RelationshipMacro.self, TransientMacro.self,
        ResponseBodyMacro.self,
    ]
}

// The compiler asks for a macro by its type's name, this module's name included.

struct ModelMacro: ClassExpansion {}
struct ModelPropertyMacro: PropertyExpansion {}
struct AttributeMacro: MarkerExpansion {}
struct RelationshipMacro: MarkerExpansion {}
struct TransientMacro: MarkerExpansion {}
struct ResponseBodyMacro: ResponseExpansion {}
