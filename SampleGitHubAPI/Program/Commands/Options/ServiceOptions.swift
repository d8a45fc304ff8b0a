import ArgumentParser
import Foundation

struct ServiceOptions: ParsableArguments {
    static let gitHub = "https://api.github.com"

    @Option(
        help: ArgumentHelp("The API's address; another one for GitHub Enterprise or `serve`.", valueName: "url"))
    var baseURL = ServiceOptions.gitHub

    @Option(help: "Whom requests act for; without it, the environment's GH_TOKEN or GITHUB_TOKEN, or nobody.")
    var token: String?

    @Option(
        help: "The SQLite file with what was seen, made if there is none (default: github.sqlite in this folder).",
        completion: .file())
    var store: String?

    @Flag(help: "Log each request to standard error.")
    var verbose = false

    /// Beside `/api/v3` of GitHub Enterprise, else below the REST API's address.
    var graphQLURL: String {
        baseURL.hasSuffix("/api/v3") ? String(baseURL.dropLast("v3".count)) + "graphql" : "/graphql"
    }

    /// From the arguments, or else the environment.
    var credential: String? {
        let environment = ProcessInfo.processInfo.environment
        return [token, environment["GH_TOKEN"], environment["GITHUB_TOKEN"]].lazy.compactMap(\.self)
            .first { !$0.isEmpty }
    }
}
