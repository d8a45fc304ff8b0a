import Logging
import RestfulData

extension API {
    /// https://docs.github.com/rest/using-the-rest-api
    static func gitHub(_ baseURL: String, token: String? = nil, isVerbose: Bool = false) -> API {
        var conventions = APIConventions.github
        conventions.tombstones = []  // 410 alone: GitHub's answer about a deleted issue
        return API(baseURL, conventions: conventions, timeout: .seconds(30)) {
            UserAgent("SampleGitHubAPI/\(SampleProgram.version)")
            Headers([.accept: "application/vnd.github+json", .gitHubVersion: "2022-11-28"])
            if let token { BearerToken(token) }
            Retry()
            if isVerbose { RequestLog(.standardError) }
        }
    }
}

extension HTTPField.Name {
    // A field name by RFC 9110 §5.1 always has a value.
    fileprivate static let gitHubVersion = Self("X-GitHub-Api-Version")!
}

extension Logger {
    fileprivate static var standardError: Logger {
        var logger = Logger(label: "SampleGitHubAPI") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .debug
        return logger
    }
}
