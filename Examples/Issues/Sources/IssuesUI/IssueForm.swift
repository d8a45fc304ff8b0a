import RestfulData
import RestfulDataUI
import SwiftUI

/// Edits an issue, or a new one. The edits are in a draft: other screens show them after the form is saved. If the user
/// cancels, they end with the draft.
struct IssueForm: View {
    let form: ObjectDraft<Issue>
    @Environment(\.dismiss) private var dismiss
    @State private var history: UndoHistory?
    @State private var problem: APIError?

    var body: some View {
        @Bindable var issue = form.object
        NavigationStack {
            Form {
                Section {
                    TextField("Title", text: $issue.title)
                    FieldErrors(messages: form.messages(for: \.title))
                    TextField("Description", text: $issue.body, axis: .vertical).lineLimit(3...10)
                    FieldErrors(messages: form.messages(for: \.body))
                }
                Section("Labels") {
                    ForEach(issue.repository?.labels ?? []) { label in
                        Toggle(label.name, isOn: $issue[has: label])
                    }
                    FieldErrors(messages: form.messages(for: \.labels))
                }
            }
            .formStyle(.grouped)
            .navigationTitle(issue.isKnownToServer ? "Edit Issue" : "New Issue")
            .toolbar {
                ToolbarItem(placement: .cancellationAction) {
                    Button("Cancel", role: .cancel) { dismiss() }
                }
                ToolbarItemGroup {
                    Button("Undo", systemImage: "arrow.uturn.backward") { history?.undo() }
                        .disabled(history?.canUndo != true)
                    Button("Redo", systemImage: "arrow.uturn.forward") { history?.redo() }
                        .disabled(history?.canRedo != true)
                }
                ToolbarItem(placement: .confirmationAction) {
                    Button("Save") { Task { await save() } }
                        .disabled(!form.hasChanges || form.isSaving)
                }
            }
        }
        .frame(minWidth: 360, minHeight: 420)
        .interactiveDismissDisabled(form.hasChanges)
        .task {
            if history == nil { history = form.draft.context.recordUndo() }
            await fetchLabels()
        }
        .problemAlert($problem)
    }

    /// Stores the edits, and lets the outbox send them: as a POST if the issue is new, as a PATCH otherwise.
    private func save() async {
        do throws(APIError) {
            try await form.save(.queued)
            dismiss()
        } catch {
            // The form shows errors of fields itself.
            if error.fields.isEmpty { problem.note(error) }
        }
    }

    /// If this fails, the form offers the labels in the store.
    private func fetchLabels() async {
        _ = try? await form.object.repository?.$labels.fetch(pages: .all())
    }
}

#Preview {
    DemoPreview { context in
        let repository = try await Repository.fetch(key: "octocat/Hello-World", in: context)
        return try context.draft(of: try await repository.$issues.fetch(1))
    } content: { form in
        IssueForm(form: form)
    }
}
