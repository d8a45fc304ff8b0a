import Observation
import RestfulData

/// A form's edits of an issue. They are in a draft: other screens show them after the form is saved. If the user
/// cancels, they end with this editor.
///
/// The screen that presents the form keeps the editor in its `@State`. Don't make a draft in the initializer of a view:
/// SwiftUI calls it again, and the edits would be lost with the former draft.
@MainActor @Observable
final class IssueEditor: Identifiable {
    let draft: Draft
    /// The draft's object for the issue.
    let issue: Issue
    let history: UndoHistory
    /// The messages by property, of the model's own rules or of the server.
    private(set) var errors: [String: [String]]

    init(editing issue: Issue, showing errors: [String: [String]] = [:]) throws(StoreError) {
        guard let context = issue.context else { throw .endedContext }
        draft = try context.draft()
        guard let own = draft.object(for: issue) else { throw .deletedObject(model: "Issue") }
        self.issue = own
        self.errors = errors
        history = draft.context.recordUndo()
    }

    init(newIn repository: Repository) throws(StoreError) {
        guard let context = repository.context else { throw .endedContext }
        draft = try context.draft()
        issue = Issue(in: draft.context)
        issue.repository = draft.object(for: repository)
        errors = [:]
        history = draft.context.recordUndo()
    }

    /// Stores the edits, and lets the outbox send them: as a POST if the issue is new, as a PATCH otherwise.
    func save() async throws(APIError) {
        do throws(APIError) {
            try await issue.save(.queued)
        } catch {
            errors = error.fields
            throw error
        }
    }
}
