import RestfulData
import RestfulDataUI
import SwiftUI

/// An issue with its comments.
struct IssueDetail: View {
    let issue: Issue
    @State private var fetchProblem: APIError?
    @State private var problem: APIError?
    @State private var form: ObjectDraft<Issue>?

    var body: some View {
        List {
            if case .rejected(let rejection) = issue.syncState {
                RejectionSection(issue: issue, rejection: rejection) { edit() }
            }
            Section {
                Text(issue.title).font(.title2)
                if !issue.body.isEmpty { Text(issue.body) }
                IssueFacts(issue: issue)
            }
            Section("Comments") {
                ForEach(issue.comments) { comment in CommentRow(comment: comment) }
                ProblemRow(problem: fetchProblem)
                CommentField(issue: issue)
            }
        }
        .navigationTitle(issue.number.map { "#\($0)" } ?? "New Issue")
        .task { await refresh() }
        .refreshable { await refresh() }
        .toolbar {
            ToolbarItem(placement: .primaryAction) {
                Button("Edit", systemImage: "pencil") { edit() }
            }
        }
        .sheet(item: $form) { form in IssueForm(form: form) }
        .problemAlert($problem)
    }

    private func refresh() async {
        // The creation of a new issue may still wait in the outbox. Then the server has nothing to fetch.
        guard issue.isKnownToServer else { return }
        do throws(APIError) {
            try await issue.fetch()  // GET /repos/octocat/Hello-World/issues/1
            try await issue.$comments.fetch(pages: .all())  // GET /repos/octocat/Hello-World/issues/1/comments
            fetchProblem = nil
        } catch {
            fetchProblem.note(error)
        }
    }

    /// After a refused change, the form shows the server's messages below their fields.
    private func edit() {
        do throws(StoreError) {
            form = try issue.context?.draft(of: issue)
        } catch {
            problem = .store(error)
        }
    }
}

private struct IssueFacts: View {
    let issue: Issue

    var body: some View {
        HStack {
            Text(issue.isOpen ? "Open" : "Closed").foregroundStyle(.secondary)
            Text(issue.labels.map(\.name).joined(separator: ", ")).foregroundStyle(.secondary)
            Spacer()
            SyncMark(state: issue.syncState)
        }
        if let user = issue.user, let date = issue.createdAt {
            HStack {
                Text(user.login)
                Text(date, style: .date)
            }
            .font(.caption).foregroundStyle(.secondary)
        }
    }
}

/// The server has refused a change of the issue: the user corrects it, or takes it back.
private struct RejectionSection: View {
    let issue: Issue
    let rejection: Rejection
    let correct: () -> Void
    @State private var problem: APIError?

    var body: some View {
        Section("The Server Refused Your Change") {
            Text(rejection.errorDescription ?? "")
            Button("Correct …") { correct() }
            Button("Take It Back", role: .destructive) { Task { await takeBack() } }
        }
        .problemAlert($problem)
    }

    private func takeBack() async {
        do throws(StoreError) { try await issue.discardQueued() } catch { problem.note(.store(error)) }
    }
}

#Preview {
    DemoPreview { context in
        let repository = try await Repository.fetch(key: "octocat/Hello-World", in: context)
        return try await repository.$issues.fetch(1)
    } content: { issue in
        NavigationStack { IssueDetail(issue: issue) }
    }
}
