import Foundation
import TestSupport
import Testing

/// RestfulDataUI and a small app are type-checked where there is no SwiftUI, with `Tests/SwiftUIStubs`, which declares
/// the used parts as Apple does.
@Suite(
    .serialized,
    .enabled(if: ClientCompiler.isWithoutSwiftUI, "SwiftUI itself is here, or no record of the build's calls"))
struct SwiftUITypeCheckTests {
    private static let programs = ProgramSet(preparedBy: compileUI) { settings in
        [app(settings)] + (settings == .swift6 ? try refusals.map { form($0.line) } + [readmeViews()] : [])
    }

    @Test(arguments: Client.Settings.allCases)
    func `A SwiftUI app of views compiles without warnings`(_ settings: Client.Settings) async throws {
        let verdict = try await Self.programs.verdict(on: Self.app(settings), settings)
        #expect(verdict.isAccepted, "\(verdict.log)")
        #expect(!verdict.hasWarnings, "\(verdict.log)")
    }

    @Test func `The README's SwiftUI views compile as written`() async throws {
        let verdict = try await Self.programs.verdict(on: Self.readmeViews(), .swift6)
        #expect(verdict.isAccepted, "\(verdict.log)")
    }

    private static func readmeViews() throws -> Client {
        let readme = try String(contentsOf: ProjectFolder.root.appending(path: "README.md"), encoding: .utf8)
        let views = try #require(readme.components(separatedBy: "<!-- views -->\n```swift\n").last)
            .components(separatedBy: "\n```")[0]
        try #require(views.contains("@Fetch"))
        return Client(models: models(""), source: views, isAlone: true)
    }

    private static let refusals = [
        (line: #"TextField("Title", text: $issue.number)"#, error: "cannot convert"),
        (line: #"Toggle("Deleted", isOn: $issue.isDeleted)"#, error: "get-only property"),
        (
            line: #"ForEach(issue) { _ in EmptyView() }"#,
            error: "requires that 'Issue' conform to 'RandomAccessCollection'"
        ),
    ]

    /// A stub that takes anything would take the app, too.
    @Test(arguments: refusals)
    func `Code that SwiftUI refuses is also refused by the stubs`(_ line: String, _ error: String) async throws {
        let verdict = try await Self.programs.verdict(on: Self.form(line), .swift6)
        #expect(!verdict.isAccepted)
        #expect(verdict.errors.contains { $0.contains(error) }, "\(verdict.log)")
    }

    private static func form(_ line: String) -> Client {
        Client(
            models: app(""),
            source: """
                struct Form: View {
                    @Bindable var issue: Issue

                    var body: some View { \(line) }
                }
                """,
            isRefused: true)
    }

    /// Compiles the stubs, and then the library against them, into modules in a folder.
    @Sendable private static func compileUI(_ compiler: ClientCompiler, _ folder: URL) async throws -> [String] {
        let stubs = try await compiler.emitModule(
            "SwiftUI", files(in: "Tests/SwiftUIStubs"), Client.Settings.upcoming.flags, to: folder)
        #expect(stubs.isAccepted, "\(stubs.log)")
        let flags = Client.Settings.upcoming.flags + ["-strict-memory-safety"] + compiler.packageFlags
        let library = try await compiler.emitModule(
            "RestfulDataUI", files(in: "Sources/RestfulDataUI"), flags + ["-I", folder.path] + compiler.searchFlags,
            to: folder)
        #expect(library.isAccepted, "\(library.log)")
        #expect(!library.hasWarnings, "\(library.log)")
        return ["-I", folder.path]
    }

    private static func files(in path: String) throws -> [String] {
        let folder = ProjectFolder.root.appending(path: path)
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
            .sorted().map { folder.appending(path: $0).path }
    }

    // MARK: - The app

    /// - Parameter isolation: the text before each class.
    private static func models(_ isolation: String) -> String {
        """
        import RestfulData
        import RestfulDataUI
        import SwiftUI

        @Model
        \(isolation)final class Repository {
            var identifier: Int?
            var fullName = ""
            var issues: [Issue]
        }

        @Model("/repos/:repository.full_name/issues", key: "number")
        \(isolation)final class Issue {
            enum State: String { case open, closed }
            var identifier: Int?
            var number: Int?
            var title = ""
            var isLocked = false
            @Attribute(searchable: true) var body: String?
            var state: State = .open
            var repository: Repository?
        }


        """
    }

    private static func app(_ settings: Client.Settings) -> Client {
        Client(models: app(settings.isMainActors ? "nonisolated " : ""), source: "")
    }

    /// Uses all of RestfulDataUI.
    private static func app(_ isolation: String) -> String {
        models(isolation) + """
            struct IssueApp: View {
                let store: Store

                var body: some View { IssueList().store(store) }
            }

            struct IssueList: View {
                @Fetch(Issue.self) private var all
                @Fetch(Issue.self, where: { $0.state == .open }) private var open: [Issue]
                @Fetch(Issue.self, order: { $0.title }) private var byTitle
                @Fetch(Issue.self, where: { $0.isLocked }, order: { $0.number }, .descending) private var locked
                @Fetch(Issue.self, query: { $0.search("crash").limit(20) }) private var found
                @Environment(\\.store) private var store

                var body: some View {
                    List {
                        ForEach(open) { issue in IssueForm(issue: issue) }
                        Text("\\(all.count + byTitle.count + found.count) issues")
                        if let error = $all.error { Text(error.description) }
                        if store == nil { Text(verbatim: "no store") }
                    }
                    .task {
                        for issue in locked { _ = try? await issue.fetch() }
                    }
                    .refreshable { await refresh() }
                }

                private func refresh() async {
                    guard let context = store?.main else { return }
                    _ = try? await Issue.fetchAll("/issues", in: context)
                }
            }

            struct IssueSections: View {
                @Fetch(Issue.self, sections: { $0.state }) private var byState
                @Fetch(Issue.self, where: { $0.state == .open }, sections: { $0.number }, .descending) private var byNumber
                @Fetch(Issue.self, sections: { $0.repository.fullName }, query: { $0.order(by: { $0.title }) })
                private var byName
                @Fetch(Issue.self, sections: { $0.repository }, sectionOrder: { $0.fullName }) private var byRepository

                var body: some View {
                    List {
                        ForEach(byState) { section in
                            Section(section.value.rawValue) {
                                ForEach(section) { issue in Text(issue.title) }
                            }
                        }
                        ForEach(byRepository) { section in
                            Section(section.value?.fullName ?? "none") {
                                ForEach(section) { issue in Text(issue.title) }
                            }
                        }
                        Text("\\(byName.first?.value ?? "none"), \\(byNumber.first?.value ?? 0)")
                    }
                }
            }

            struct RepositoryIssues: View {
                @Fetch private var issues: [Issue]

                init(of repository: Repository) {
                    _issues = Fetch(Issue.self, where: { $0.repository == repository }, order: { $0.number })
                }

                var body: some View {
                    List(issues) { issue in Text(issue.title) }
                }
            }

            struct IssueForm: View {
                @Bindable var issue: Issue

                var body: some View {
                    TextField("Title", text: $issue.title)
                    Toggle("Locked", isOn: $issue.isLocked)
                    IssueBody(text: $issue.body)
                }
            }

            struct IssueBody: View {
                @Binding var text: String?

                var body: some View { Text(text ?? "") }
            }

            struct DraftForm: View {
                @Environment(\\.undoManager) private var undoManager
                let draft: Draft
                @Bindable var issue: Issue

                init?(of issue: Issue, in store: Store) {
                    guard let draft = try? store.main.draft(), let issue = draft.object(for: issue) else { return nil }
                    self.draft = draft
                    self.issue = issue
                }

                var body: some View {
                    TextField("Title", text: $issue.title)
                        .task {
                            let history = draft.context.recordUndo()
                            if let undoManager { history.register(with: undoManager) }
                            if draft.hasChanges { try? draft.save() }
                        }
                }
            }

            @MainActor func preview() -> some View {
                IssueList().previewStore(Issue.self, json: "issues")
            }


            """
    }
}

extension ClientCompiler {
    fileprivate static var isWithoutSwiftUI: Bool {
        #if canImport(SwiftUI)
            false
        #else
            isExpected
        #endif
    }
}
