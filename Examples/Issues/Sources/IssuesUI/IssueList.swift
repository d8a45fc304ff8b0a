import RestfulData
import RestfulDataUI
import SwiftUI

/// A repository's issues: searched in the store, fetched page by page while the user scrolls.
struct IssueList: View {
    let repository: Repository
    @Binding var selection: Issue?
    @State private var state: Issue.State = .open
    @State private var searchText = ""
    @State private var page: ListPage<Issue>?
    @State private var fetchProblem: APIError?
    @State private var problem: APIError?
    @State private var form: ObjectDraft<Issue>?

    var body: some View {
        List(selection: $selection) {
            ProblemRow(problem: fetchProblem)
            if searchText.isEmpty {
                IssueRows(of: repository, state: state)
            } else {
                FoundIssues(in: repository, matching: searchText)
            }
            if let page, page.hasNext {
                ProgressView().task(id: page.progress.pageNumber) { await fetchNext() }
            }
        }
        .navigationTitle(repository.fullName)
        .searchable(text: $searchText, prompt: "Search Issues")
        .task(id: state) { await refresh() }
        .refreshable { await refresh() }
        .toolbar {
            ToolbarItem {
                Picker("State", selection: $state) {
                    Text("Open").tag(Issue.State.open)
                    Text("Closed").tag(Issue.State.closed)
                }
                .pickerStyle(.segmented)
            }
            ToolbarItem(placement: .primaryAction) {
                Button("New Issue", systemImage: "plus") { edit() }
            }
        }
        .sheet(item: $form) { form in IssueForm(form: form) }
        .problemAlert($problem)
    }

    private func refresh() async {
        page = nil
        do throws(APIError) {
            // GET /repos/octocat/Hello-World/issues?state=open&per_page=50
            page = try await repository.$issues.pages(size: 50, query: ["state": state.rawValue]).first()
            // An issue that somebody else has closed or reopened is in the other list. Its latest members are enough.
            try await repository.$issues.fetch(query: ["state": state.other.rawValue, "sort": "updated"])
            fetchProblem = nil
        } catch {
            fetchProblem.note(error)
        }
    }

    private func fetchNext() async {
        do throws(APIError) {
            page = try await page?.next()
        } catch {
            page = nil
            fetchProblem.note(error)
        }
    }

    private func edit() {
        do throws(StoreError) {
            form = try repository.context?.draft(making: { draft in
                let issue = Issue(in: draft.context)
                issue.repository = draft.object(for: repository)
                return issue
            })
        } catch {
            problem = .store(error)
        }
    }
}

/// The issues in the store with one state. An issue leaves the list as soon as it is closed, even before it is sent.
private struct IssueRows: View {
    @Fetch private var issues: [Issue]

    init(of repository: Repository, state: Issue.State) {
        _issues = Fetch(
            Issue.self,
            query: { query in
                query.issues(of: repository).where { $0.state == state }.order(by: { $0.number }, .descending)
            })
    }

    var body: some View {
        ForEach(issues) { issue in IssueRow(issue: issue) }
    }
}

/// The issues that have the words of the search field, the best match first. The search runs in the store.
private struct FoundIssues: View {
    @Fetch private var issues: [Issue]

    init(in repository: Repository, matching text: String) {
        _issues = Fetch(Issue.self, query: { $0.issues(of: repository).search(text, asTyped: true) })
    }

    var body: some View {
        ForEach(issues) { issue in IssueRow(issue: issue) }
        if issues.isEmpty { Text("None of the fetched issues has these words.").foregroundStyle(.secondary) }
    }
}

extension ObjectQuery<Issue> {
    fileprivate func issues(of repository: Repository) -> ObjectQuery<Issue> {
        self.where { $0.repository == repository && $0.pullRequestURL == nil }
    }
}

private struct IssueRow: View {
    let issue: Issue
    @State private var problem: APIError?

    var body: some View {
        NavigationLink(value: issue) {
            VStack(alignment: .leading) {
                HStack {
                    Text(issue.title)
                    Spacer()
                    SyncMark(state: issue.syncState)
                }
                Text(issue.labels.map(\.name).joined(separator: ", ")).font(.caption).foregroundStyle(.secondary)
            }
        }
        .badge(issue.commentCount)
        .swipeActions {
            Button(issue.isOpen ? "Close" : "Reopen") { Task { await toggleState() } }
        }
        .problemAlert($problem)
    }

    private func toggleState() async {
        do throws(APIError) { try await issue.toggleState() } catch { problem.note(error) }
    }
}

#Preview {
    DemoPreview { context in
        try await Repository.fetch(key: "octocat/Hello-World", in: context)
    } content: { repository in
        NavigationStack { IssueList(repository: repository, selection: .constant(nil)) }
    }
}
