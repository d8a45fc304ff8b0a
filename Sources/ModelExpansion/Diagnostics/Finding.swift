import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// One misuse: the problem with advice, and edits that follow it.
struct Finding {
    let rule: String
    let node: Syntax
    let message: String
    var notes: [(node: Syntax, message: String)] = []
    var remedies: [Remedy] = []

    init(
        _ rule: Any.Type, at node: some SyntaxProtocol, _ message: String,
        notes: [(node: Syntax, message: String)] = [], remedies: [Remedy] = []
    ) {
        self.rule = "\(rule)"
        self.node = Syntax(node)
        self.message = message
        self.notes = notes
        self.remedies = remedies
    }
}

/// A fix-it.
struct Remedy {
    let message: String
    let changes: [FixIt.Change]

    init(_ message: String, replacing old: some SyntaxProtocol, with new: some SyntaxProtocol) {
        self.init(message, changes: [(Syntax(old), Syntax(new))])
    }

    init(_ message: String, changes: [(old: Syntax, new: Syntax)]) {
        self.message = message
        self.changes = changes.map { .replace(oldNode: $0.old, newNode: $0.new) }
    }
}

extension Finding {
    var diagnostic: Diagnostic {
        Diagnostic(
            node: node, message: Message(text: message, rule: rule),
            notes: notes.map { Note(node: $0.node, message: Message(text: $0.message, rule: rule)) },
            fixIts: remedies.map { FixIt(message: Message(text: $0.message, rule: rule), changes: $0.changes) })
    }
}

private struct Message: DiagnosticMessage, NoteMessage, FixItMessage {
    let text: String
    let rule: String

    var message: String { text }
    var severity: DiagnosticSeverity { .error }
    var diagnosticID: MessageID { MessageID(domain: "RestfulData", id: rule) }
    var noteID: MessageID { diagnosticID }
    var fixItID: MessageID { diagnosticID }
}

extension MacroExpansionContext {
    func report(_ findings: [Finding]) {
        for finding in findings { diagnose(finding.diagnostic) }
    }
}
