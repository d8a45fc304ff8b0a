import Foundation
import GitHubServer
import TestSupport
import Testing

/// A shell's completions.
@Suite struct CompletionTests {
    @Test(arguments: [
        ("bash", "complete -o filenames -F _SampleGitHubAPI SampleGitHubAPI"), ("zsh", "#compdef SampleGitHubAPI"),
        ("fish", "complete -c 'SampleGitHubAPI'"),
    ])
    func `The completion command prints a script for each shell`(_ shell: String, _ line: String) async throws {
        try await onStage { stage in
            let run = try await Run(["completion", "-s", shell], in: stage.folder)
            #expect(run.status == 0)
            #expect(run.output.contains(line), "\(run.output.prefix(300))")
            for name in ["issue", "delete", "state", "add-label"] { #expect(run.output.contains(name)) }
        }
    }

    @Test func `A completion script completes the name that the program is called by`() async throws {
        try await onStage { stage in
            let link = stage.folder.appending(path: "ghd")
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: Run.binary)
            let run = try await Run(["completion", "-s", "bash"], in: stage.folder, executable: link)
            #expect(run.output.contains("complete -o filenames -F _ghd ghd"))
            #expect(!run.output.contains("SampleGitHubAPI"))
        }
    }

    static let bash = URL(filePath: "/bin/bash")

    /// The words of a command line, of which bash completes the last, and its completions.
    static let lines: [(words: [String], completions: [String])] = [
        (["issue", "cl"], ["close"]), (["milestone", "de"], ["delete"]),
        (["issue", "list", "--st"], ["--state", "--store"]),
        (["issue", "list", "--state", ""], ["open", "closed", "all"]),
        (["issue", "view", "-R", "octocat/Hello-World", "4"], ["4"]),
        (["issue", "list", "-R", "octocat/He"], ["octocat/Hello-World"]),
        (["issue", "edit", "octocat/Hello-World", "4", "--add-label", "wont"], ["wontfix"]),
    ]

    @Test(arguments: lines)
    func `Bash completes commands, options, and names from the store without a request`(
        _ words: [String], _ completions: [String]
    ) async throws {
        try await onStage { stage in
            _ = try await stage.run("labels", "octocat/Hello-World")
            _ = try await stage.run("issue", "view", "octocat/Hello-World#4")
            stage.server.forgetRequests()
            let script = """
                source <("$0" completion -s bash)
                COMP_WORDS=("$0" "$@")
                COMP_CWORD=$#
                COMP_LINE="${COMP_WORDS[*]}"
                COMP_POINT=${#COMP_LINE}
                _SampleGitHubAPI "$0" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
                printf '%s\n' "${COMPREPLY[@]}"
                """
            let run = try await Run(
                ["-c", script, Run.binary.path] + words, in: stage.folder, executable: Self.bash)
            #expect(run.output.split(separator: "\n").map(String.init) == completions, "\(run.errors)")
            #expect(stage.server.requests.isEmpty)
        }
    }

    @Test func `Completion creates no store where there is none`() async throws {
        try await onStage { stage in
            let run = try await Run(
                [
                    "---completion", "issue", "list", "--", "--repo", "4", "0", "SampleGitHubAPI", "issue", "list",
                    "-R", "",
                ],
                in: stage.folder)
            #expect(run.status == 0)
            #expect(run.output.trimmingCharacters(in: .newlines).isEmpty)
            let files = try FileManager.default.contentsOfDirectory(atPath: stage.folder.path)
            #expect(!files.contains { $0.contains("sqlite") })
        }
    }
}
