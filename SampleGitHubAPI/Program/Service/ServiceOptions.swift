import ArgumentParser
import Foundation

/// What all commands take.
struct ServiceOptions: ParsableArguments {
    @Option(
        name: .customLong("base-url"),
        help: ArgumentHelp("The API's address; another one for GitHub Enterprise or `serve`.", valueName: "url"))
    var baseURL = "https://api.github.com"

    @Option(help: "Whom requests act for; without it, the environment's GITHUB_TOKEN, or nobody.")
    var token: String?

    @Option(help: "The SQLite file with what was seen, made if there is none (default: github.sqlite in this folder).")
    var store: String?

    @Flag(help: "Print one JSON document, keys sorted, in GitHub's own names, instead of text.")
    var json = false

    @Flag(help: "Log each request to standard error.")
    var verbose = false

    /// The token of the arguments or of the environment; an empty one is none.
    var credential: String? {
        [token, ProcessInfo.processInfo.environment["GITHUB_TOKEN"]].lazy.compactMap(\.self).first { !$0.isEmpty }
    }
}
