import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main
struct RestfulDataPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        ModelMacro.self, ModelPropertyMacro.self, AttributeMacro.self, RelationshipMacro.self, TransientMacro.self,
    ]
}
