import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@testable import ModelExpansion

struct ModelMacro: ClassExpansion {}
private struct ModelPropertyMacro: PropertyExpansion {}
private struct ModelRelationshipMacro: RelationshipExpansion {}
private struct MarkerMacro: MarkerExpansion {}
struct ResponseBodyMacro: ResponseExpansion {}
private struct ModelChoiceMacro: ChoiceExpansion {}

/// The macros as the compiler's plugin has them.
let modelMacros: [String: MacroSpec] = [
    "Model": MacroSpec(
        type: ModelMacro.self, conformances: [TypeSyntax(IdentifierTypeSyntax(name: .identifier("Model")))]),
    "_ModelProperty": MacroSpec(type: ModelPropertyMacro.self),
    "_ModelRelationship": MacroSpec(type: ModelRelationshipMacro.self),
    "Attribute": MacroSpec(type: MarkerMacro.self),
    "Relationship": MacroSpec(type: MarkerMacro.self),
    "Transient": MacroSpec(type: MarkerMacro.self),
    "ResponseBody": MacroSpec(
        type: ResponseBodyMacro.self,
        conformances: [TypeSyntax(IdentifierTypeSyntax(name: .identifier("ResponseBody")))]),
    "ModelChoice": MacroSpec(
        type: ModelChoiceMacro.self,
        conformances: [TypeSyntax(IdentifierTypeSyntax(name: .identifier("ModelChoice")))]),
]

/// Expects that `source` expands to `expanded`, with exactly these diagnostics.
func expectExpansion(
    _ source: String, _ expanded: String, diagnostics: [DiagnosticSpec] = [], fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
) {
    var macros = modelMacros
    // The compiler requires the conformance that the overload promises.
    if source.contains("inherits:") {
        macros["Model"] = MacroSpec(
            type: ModelMacro.self, conformances: [TypeSyntax(IdentifierTypeSyntax(name: .identifier("Submodel")))])
    }
    if source.contains("singular:") {
        macros["Model"] = MacroSpec(
            type: ModelMacro.self, conformances: [TypeSyntax(IdentifierTypeSyntax(name: .identifier("SingularModel")))])
    }
    assertMacroExpansion(
        source, expandedSource: expanded, diagnostics: diagnostics, macroSpecs: macros,
        failureHandler: recordIssue, fileID: fileID,
        filePath: filePath, line: line, column: column)
}

/// Turns a failure of the support library into one of Swift Testing's.
func recordIssue(_ failure: TestFailureSpec) {
    let location = SourceLocation(
        fileID: failure.location.fileID, filePath: failure.location.filePath, line: failure.location.line,
        column: failure.location.column)
    Issue.record("\(failure.message)", sourceLocation: location)
}
