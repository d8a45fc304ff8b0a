import RestfulData
import RestfulDataUI
import SwiftUI

/// The user's repositories in the store. They are fetched when the list appears, and when the user pulls it.
struct RepositoryList: View {
    let login: String
    @Binding var selection: Repository?
    @Fetch(Repository.self, order: { $0.fullName }) private var repositories
    @Environment(\.store) private var store
    @State private var fetchProblem: APIError?
    @State private var isOutboxShown = false

    var body: some View {
        List(selection: $selection) {
            ForEach(repositories) { repository in RepositoryRow(repository: repository) }
            ProblemRow(problem: fetchProblem)
        }
        .navigationTitle(login)
        .task { await refresh() }
        .refreshable { await refresh() }
        .toolbar {
            ToolbarItem(placement: .primaryAction) {
                Button("Account", systemImage: "person.circle") { isOutboxShown = true }
            }
            ToolbarItem(placement: .status) {
                OutboxBadge { isOutboxShown = true }
            }
        }
        .sheet(isPresented: $isOutboxShown) { OutboxView() }
    }

    private func refresh() async {
        guard let context = store?.main else { return }
        do throws(APIError) {
            let user = try await User.fetch(key: login, in: context)  // GET /users/octocat
            try await user.$repositories.fetch(pages: .all())  // GET /users/octocat/repos
            fetchProblem = nil
        } catch {
            fetchProblem.note(error)
        }
    }
}

private struct RepositoryRow: View {
    let repository: Repository

    var body: some View {
        NavigationLink(value: repository) {
            VStack(alignment: .leading) {
                Text(repository.fullName)
                if let summary = repository.summary {
                    Text(summary).font(.caption).foregroundStyle(.secondary).lineLimit(1)
                }
            }
        }
        .badge(repository.openIssuesCount)
    }
}

#Preview {
    DemoPreview { context in
        try await User.fetch(key: Demo.login, in: context)
    } content: { user in
        NavigationStack { RepositoryList(login: user.login, selection: .constant(nil)) }
    }
}
