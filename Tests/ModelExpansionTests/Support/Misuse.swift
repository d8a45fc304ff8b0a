import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@testable import ModelExpansion

/// A fix-it's message, and the resulting source.
struct FixIt {
    let message: String
    let source: String

    init(_ message: String, _ source: String) {
        self.message = message
        self.source = source
    }
}

/// Expects only the diagnostic `message`, at `⏵` in `source`, with a note at `⏷`, and that each fix-it, by its message,
/// results in its given source.
///
/// `source` begins with the line `@Model…`.
func expectMisuse(
    _ source: String, _ message: String, note: String? = nil, fixIts: [FixIt] = [],
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
) {
    let marked = MarkedSource(source)
    let complaint = DiagnosticSpec(
        message: message, line: marked.place("⏵").line, column: marked.place("⏵").column,
        notes: note.map { [NoteSpec(message: $0, line: marked.place("⏷").line, column: marked.place("⏷").column)] }
            ?? [],
        fixIts: fixIts.map { FixItSpec(message: $0.message) })
    let fixes = fixIts.isEmpty ? [nil] : fixIts.map { Optional($0) }
    for fix in fixes {
        assertMacroExpansion(
            marked.text, expandedSource: marked.withoutFirstLine, diagnostics: [complaint],
            macroSpecs: diagnosingMacros,
            applyFixIts: fix.map { [$0.message] }, fixedSource: fix?.source, failureHandler: recordIssue,
            fileID: fileID,
            filePath: filePath, line: line, column: column)
    }
}

/// Like ``expectMisuse(_:_:note:fixIts:fileID:filePath:line:column:)``, with a line in an otherwise empty class.
func expectMisuse(
    ofProperty property: String, _ message: String, fixIts: [FixIt] = [],
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
) {
    func model(_ property: String) -> String {
        """
        @Model
        final class Issue {
            var identifier: Int?
            \(property)
        }
        """
    }
    expectMisuse(
        model(property), message, fixIts: fixIts.map { FixIt($0.message, model($0.source)) }, fileID: fileID,
        filePath: filePath, line: line,
        column: column)
}

/// Expects that the class is accepted.
func expectNoMisuse(
    _ source: String, fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
) {
    assertMacroExpansion(
        source, expandedSource: MarkedSource(source).withoutFirstLine, macroSpecs: diagnosingMacros,
        failureHandler: recordIssue, fileID: fileID, filePath: filePath, line: line, column: column)
}

/// Expects only the diagnostic `message` of `@ResponseBody`, at `⏵` in `source`, and that each fix-it results in its
/// given source. With `nil`, expects no diagnostic.
func expectResponseMisuse(
    _ source: String, _ message: String?, fixIts: [FixIt] = [], fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
) {
    let marked = MarkedSource("@ResponseBody\n" + source)
    let complaints = message.map { message in
        [
            DiagnosticSpec(
                message: message, line: marked.place("⏵").line, column: marked.place("⏵").column,
                fixIts: fixIts.map { FixItSpec(message: $0.message) })
        ]
    }
    for fix in fixIts.isEmpty ? [nil] : fixIts.map({ Optional($0) }) {
        assertMacroExpansion(
            marked.text, expandedSource: marked.withoutFirstLine, diagnostics: complaints ?? [],
            macroSpecs: ["ResponseBody": MacroSpec(type: DiagnosingResponseMacro.self)],
            applyFixIts: fix.map { [$0.message] }, fixedSource: fix.map { "@ResponseBody\n" + $0.source },
            failureHandler: recordIssue, fileID: fileID, filePath: filePath, line: line, column: column)
    }
}

/// `@ResponseBody` as far as it complains.
private struct DiagnosingResponseMacro: MemberMacro {
    static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        _ = try ResponseBodyMacro.expansion(
            of: node, providingMembersOf: declaration, conformingTo: protocols, in: context)
        return []
    }
}

/// The diagnostics of `@Model`: its expansion is tested elsewhere.
private struct DiagnosingModelMacro: MemberMacro {
    static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        _ = try ModelMacro.expansion(of: node, providingMembersOf: declaration, conformingTo: protocols, in: context)
        return []
    }
}

private let diagnosingMacros = [
    "Model": MacroSpec(
        type: DiagnosingModelMacro.self, conformances: [TypeSyntax(IdentifierTypeSyntax(name: .identifier("Model")))])
]

/// Expects that `marker`, at `⏵` in `source`, is diagnosed, and that the fix-it removes it.
func expectComplaint(
    of marker: String, in source: String, _ message: String, fixIt: String?, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
) {
    let marked = MarkedSource(source)
    let complaint = DiagnosticSpec(
        message: message, line: marked.place("⏵").line, column: marked.place("⏵").column,
        fixIts: fixIt.map { [FixItSpec(message: $0)] } ?? [])
    let expanded = marked.text.replacing("\(marker) ", with: "")
    assertMacroExpansion(
        marked.text, expandedSource: expanded, diagnostics: [complaint], macroSpecs: markerMacros,
        fixedSource: fixIt.map { _ in expanded }, failureHandler: recordIssue, fileID: fileID, filePath: filePath,
        line: line, column: column)
}

private let markerMacros = modelMacros.filter { ["Attribute", "Relationship", "Transient"].contains($0.key) }
