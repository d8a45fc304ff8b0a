import ArgumentParser
import Foundation

struct CompletionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completion", abstract: "Print a script by which a shell completes commands.",
        discussion: """
            bash, in ~/.bashrc: source <(SampleGitHubAPI completion -s bash)
            zsh: SampleGitHubAPI completion -s zsh > "${fpath[1]}/_SampleGitHubAPI"
            fish: SampleGitHubAPI completion -s fish > ~/.config/fish/completions/SampleGitHubAPI.fish

            The script completes the name that the program is called by. Repositories, issues, labels, milestones and users are \
            those of the store; no request is sent.
            """)

    enum Shell: String, ExpressibleByArgument, CaseIterable { case bash, zsh, fish }

    @Option(name: .shortAndLong, help: "The shell.") var shell: Shell

    func run() throws {
        guard let shell = CompletionShell(rawValue: shell.rawValue) else { return }
        let script = SampleProgram.completionScript(for: shell)
        try write([script.replacing(SampleProgram.name, with: Self.calledName)])
    }

    /// The program's name as called, such as a symbolic link's.
    private static var calledName: String {
        let name = CommandLine.arguments.first?.split(separator: "/").last ?? ""
        return name.wholeMatch(of: /[A-Za-z][A-Za-z0-9_-]*/) == nil ? SampleProgram.name : String(name)
    }
}
