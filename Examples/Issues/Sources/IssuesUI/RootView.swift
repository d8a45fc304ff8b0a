import RestfulData
import RestfulDataUI
import SwiftUI

/// The app's window: the sign-in, or the user's repositories.
public struct RootView: View {
    private let session: Session
    @Environment(\.scenePhase) private var scenePhase

    /// Makes the window of the app's session.
    public init(session: Session) { self.session = session }

    /// The sign-in, or three columns.
    public var body: some View {
        if let account = session.account {
            MainView(login: account.login)
                .store(account.store)
                .environment(session)
                .onChange(of: scenePhase) {
                    // The network may be back. Send the waiting changes at once.
                    if scenePhase == .active { account.store.outbox.wake() }
                }
        } else {
            SignInView().environment(session)
        }
    }
}

/// Three columns: repositories, issues, an issue.
struct MainView: View {
    let login: String
    @State private var repository: Repository?
    @State private var issue: Issue?

    var body: some View {
        NavigationSplitView {
            RepositoryList(login: login, selection: $repository)
        } content: {
            if let repository {
                // Another repository starts with a search field and pages of its own.
                IssueList(repository: repository, selection: $issue).id(repository)
            } else {
                ContentUnavailableView("Choose a Repository", systemImage: "folder")
            }
        } detail: {
            if let issue, !issue.isDeleted {
                // Otherwise, a comment that was begun for one issue would be sent to the next.
                IssueDetail(issue: issue).id(issue)
            } else {
                ContentUnavailableView("Choose an Issue", systemImage: "smallcircle.filled.circle")
            }
        }
        .onChange(of: repository) { issue = nil }
    }
}

#Preview {
    DemoPreview { context in
        try await User.fetch(key: Demo.login, in: context)
    } content: { user in
        MainView(login: user.login)
    }
}
