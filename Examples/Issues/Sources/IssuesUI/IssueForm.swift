import RestfulData
import RestfulDataUI
import SwiftUI

/// Edits an issue, or a new one.
struct IssueForm: View {
    let editor: IssueEditor
    @Environment(\.dismiss) private var dismiss
    @State private var problem: APIError?

    var body: some View {
        @Bindable var issue = editor.issue
        NavigationStack {
            Form {
                Section {
                    TextField("Title", text: $issue.title)
                    FieldErrors(messages: editor.errors["title"])
                    TextField("Description", text: $issue.body, axis: .vertical).lineLimit(3...10)
                    FieldErrors(messages: editor.errors["body"])
                }
                Section("Labels") {
                    ForEach(issue.repository?.labels ?? []) { label in
                        Toggle(label.name, isOn: $issue[has: label])
                    }
                    FieldErrors(messages: editor.errors["labels"])
                }
            }
            .formStyle(.grouped)
            .navigationTitle(issue.isKnownToServer ? "Edit Issue" : "New Issue")
            .toolbar {
                ToolbarItem(placement: .cancellationAction) {
                    Button("Cancel", role: .cancel) { dismiss() }
                }
                ToolbarItemGroup {
                    Button("Undo", systemImage: "arrow.uturn.backward") { editor.history.undo() }
                        .disabled(!editor.history.canUndo)
                    Button("Redo", systemImage: "arrow.uturn.forward") { editor.history.redo() }
                        .disabled(!editor.history.canRedo)
                }
                ToolbarItem(placement: .confirmationAction) {
                    Button("Save") { Task { await save() } }
                        .disabled(!editor.draft.hasChanges)
                }
            }
        }
        .frame(minWidth: 360, minHeight: 420)
        .interactiveDismissDisabled(editor.draft.hasChanges)
        .task { await fetchLabels() }
        .problemAlert($problem)
    }

    private func save() async {
        do throws(APIError) {
            try await editor.save()
            dismiss()
        } catch {
            // The form shows errors of fields itself.
            if error.fields.isEmpty { problem.note(error) }
        }
    }

    /// If this fails, the form offers the labels in the store.
    private func fetchLabels() async {
        _ = try? await editor.issue.repository?.$labels.fetch(pages: .all())
    }
}

#Preview {
    DemoPreview { context in
        let repository = try await Repository.fetch(key: "octocat/Hello-World", in: context)
        return try IssueEditor(editing: try await repository.$issues.fetch(1), showing: ["title": ["is too long"]])
    } content: { editor in
        IssueForm(editor: editor)
    }
}
