import Foundation
import TestSupport
import Testing

/// RestfulDataUI and a small app are type-checked where there is no SwiftUI, against `Tests/SwiftUIStubs`, which
/// declares what they use of it as Apple does.
@Suite(
    .serialized,
    .enabled(if: ClientCompiler.isWithoutSwiftUI, "SwiftUI itself is here, or no record of the build's calls"))
struct SwiftUITypeCheckTests {
    @Test(arguments: Client.Settings.allCases)
    func `An app of views compiles as it is written`(_ settings: Client.Settings) async throws {
        try await withUI { folder in
            let verdict = try await check(app(settings.isMainActors ? "nonisolated " : ""), settings, in: folder)
            #expect(verdict.isAccepted, "\(verdict.log)")
            #expect(!verdict.log.contains(" warning: "), "\(verdict.log)")
        }
    }

    @Test func `The README's views compile as they stand`() async throws {
        let readme = try String(contentsOf: ProjectFolder.root.appending(path: "README.md"), encoding: .utf8)
        let views = try #require(readme.components(separatedBy: "<!-- views -->\n```swift\n").last)
            .components(separatedBy: "\n```")[0]
        try #require(views.contains("@Fetch"))
        try await withUI { folder in
            let verdict = try await check(models("") + views, .swift6, in: folder)
            #expect(verdict.isAccepted, "\(verdict.log)")
        }
    }

    /// A stub that takes anything would take the app, too.
    @Test(arguments: [
        (#"TextField("Title", text: $issue.number)"#, "cannot convert"),
        (#"Toggle("Deleted", isOn: $issue.isDeleted)"#, "get-only property"),
        (#"ForEach(issue) { _ in EmptyView() }"#, "requires that 'Issue' conform to 'RandomAccessCollection'"),
    ])
    func `What SwiftUI refuses the stubs refuse`(_ line: String, _ error: String) async throws {
        try await withUI { folder in
            let form = """
                struct Form: View {
                    @Bindable var issue: Issue

                    var body: some View { \(line) }
                }
                """
            let verdict = try await check(app("") + form, .swift6, in: folder)
            #expect(!verdict.isAccepted)
            #expect(verdict.errors.contains { $0.contains(error) }, "\(verdict.log)")
        }
    }

    // MARK: - Compiling

    /// Compiles the stubs, and then the library against them, into modules in a folder.
    private func withUI(_ body: (URL) async throws -> Void) async throws {
        let compiler = try #require(ClientCompiler.current)
        try await withTemporaryFolder { folder in
            let stubs = try await compile(
                "SwiftUI", "Tests/SwiftUIStubs", Client.Settings.upcoming.flags, to: folder, with: compiler)
            #expect(stubs.isAccepted, "\(stubs.log)")
            let flags = Client.Settings.upcoming.flags + ["-strict-memory-safety"] + compiler.packageFlags
            let library = try await compile(
                "RestfulDataUI", "Sources/RestfulDataUI", flags + ["-I", folder.path] + compiler.searchFlags,
                to: folder, with: compiler)
            #expect(library.isAccepted, "\(library.log)")
            #expect(!library.log.contains(" warning: "), "\(library.log)")
            try await body(folder)
        }
    }

    private func compile(
        _ module: String, _ sources: String, _ flags: [String], to folder: URL, with compiler: ClientCompiler
    ) async throws -> Verdict {
        let sources = ProjectFolder.root.appending(path: sources)
        let names = try FileManager.default.contentsOfDirectory(atPath: sources.path).filter { $0.hasSuffix(".swift") }
        let log = folder.appending(path: "log.txt")
        try Data().write(to: log)
        let status = try await compiler.run(
            flags + [
                "-parse-as-library", "-module-name", module, "-emit-module", "-emit-module-path",
                folder.appending(path: "\(module).swiftmodule").path,
            ] + names.sorted().map { sources.appending(path: $0).path }, log: log)
        return Verdict(isAccepted: status == 0, log: try String(contentsOf: log, encoding: .utf8))
    }

    private func check(_ source: String, _ settings: Client.Settings, in folder: URL) async throws -> Verdict {
        let compiler = try #require(ClientCompiler.current)
        let log = folder.appending(path: "log.txt")
        let file = folder.appending(path: "App.swift")
        try Data().write(to: log)
        try Data(source.utf8).write(to: file)
        let status = try await compiler.run(
            settings.flags + ["-I", folder.path] + compiler.searchFlags + [
                "-parse-as-library", "-module-name", "App", "-emit-sil", "-o", "/dev/null", file.path,
            ], log: log)
        return Verdict(isAccepted: status == 0, log: try String(contentsOf: log, encoding: .utf8))
    }

    // MARK: - The app

    /// - Parameter isolation: what stands before each class.
    private func models(_ isolation: String) -> String {
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

    /// Uses all of RestfulDataUI.
    private func app(_ isolation: String) -> String {
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
