import RestfulData
import RestfulDataUI
import SwiftUI

/// "3 changes waiting", while there are any, or the reason why they don't go on.
struct OutboxBadge: View {
    let open: () -> Void
    @Environment(\.store) private var store

    var body: some View {
        if let context = store?.main {
            let (waiting, rejected) = (context.outboxCounts.waiting, context.outboxCounts.rejected)
            if rejected > 0 {
                Button(rejected == 1 ? "1 change refused" : "\(rejected) changes refused") { open() }
            } else if waiting > 0, !context.outboxPauses.isEmpty {
                Button("Sign in to send your changes") { open() }
            } else if waiting > 0 {
                Button(waiting == 1 ? "1 change waiting" : "\(waiting) changes waiting") { open() }
            }
        }
    }
}

/// The state of an object's changes, as an icon. Empty if the server has them all.
struct SyncMark: View {
    let state: SyncState

    var body: some View {
        switch state {
        case .synced: EmptyView()
        case .unsent: Image(systemName: "pencil").accessibilityLabel("Edited")
        case .waiting: Image(systemName: "clock").accessibilityLabel("Waiting")
        case .sending: Image(systemName: "arrow.up.circle").accessibilityLabel("Sending")
        case .rejected: Image(systemName: "exclamationmark.triangle").accessibilityLabel("Refused")
        }
    }
}

/// The changes that wait, and the account that they belong to.
struct OutboxView: View {
    @Environment(Session.self) private var session
    @Environment(\.store) private var store
    @Environment(\.dismiss) private var dismiss
    @State private var entries: [OutboxEntry] = []
    @State private var problem: APIError?
    @State private var isSigningOut = false

    var body: some View {
        @Bindable var session = session
        NavigationStack {
            List {
                Section("Waiting Changes") {
                    ForEach(entries) { entry in
                        EntryRow(entry: entry)
                            .swipeActions {
                                Button("Discard", role: .destructive) { Task { await discard(entry) } }
                                Button("Try Again") { Task { await retry(entry) } }
                            }
                    }
                    if entries.isEmpty { Text("The server has all your changes.") }
                }
                if session.account?.demoServer != nil {
                    Section("Demo") { Toggle("Offline", isOn: $session.isOffline) }
                }
                Section {
                    Button("Sign Out", role: .destructive) { isSigningOut = true }
                }
            }
            .navigationTitle(session.account?.login ?? "")
            .toolbar {
                ToolbarItem(placement: .confirmationAction) { Button("Done") { dismiss() } }
            }
        }
        .frame(minWidth: 360, minHeight: 360)
        .task {
            guard let updates = store?.outbox.updates else { return }
            for await entries in updates { self.entries = entries }
        }
        .confirmationDialog("Sign Out?", isPresented: $isSigningOut) {
            Button("Sign Out", role: .destructive) { Task { await signOut() } }
        } message: {
            Text(entries.isEmpty ? "Your data is deleted from this device." : "Your waiting changes are lost.")
        }
        .problemAlert($problem)
    }

    private func retry(_ entry: OutboxEntry) async {
        do throws(StoreError) { try await store?.outbox.retry(entry) } catch { problem.note(.store(error)) }
    }

    private func discard(_ entry: OutboxEntry) async {
        do throws(StoreError) { try await store?.outbox.discard(entry) } catch { problem.note(.store(error)) }
    }

    private func signOut() async {
        do throws(StoreError) { try await session.signOut() } catch { problem.note(.store(error)) }
    }
}

private struct EntryRow: View {
    let entry: OutboxEntry

    var body: some View {
        VStack(alignment: .leading) {
            Text(entry.object)
            Text(entry.state.userMessage).font(.caption).foregroundStyle(.secondary)
        }
    }
}

extension OutboxEntry.State {
    /// The state in words for the user.
    fileprivate var userMessage: String {
        switch self {
        case .waiting: "Waiting for the network"
        case .blocked: "Waiting for another change"
        case .sending: "Sending"
        case .rejected(let rejection): rejection.errorDescription ?? ""
        }
    }
}

#Preview {
    DemoPreview { context in
        let repository = try await Repository.fetch(key: "octocat/Hello-World", in: context)
        let issue = try await repository.$issues.fetch(1)
        issue.title = "A title that is longer than the forty characters of the demo"
        try await issue.save(.queued)
    } content: { _ in
        OutboxView()
    }
}
