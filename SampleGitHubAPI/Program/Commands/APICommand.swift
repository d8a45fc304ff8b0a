import ArgumentParser
import Foundation
import RestfulData

struct APICommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "api", abstract: "Send a request of your own, and print the reply.",
        discussion:
            "Nothing is kept in the store. With fields or --input the request is a POST, unless -X says otherwise.")

    @Argument(help: "The path below the API's address: /rate_limit, or an absolute address.") var path: String
    @Option(name: [.customShort("X"), .long], help: "The method.") var method: String?
    @Option(
        name: [.customShort("f"), .long],
        help: ArgumentHelp("A member of the JSON to send; may be repeated.", valueName: "key=value"))
    var field: [String] = []
    @Option(
        name: [.customShort("H"), .long],
        help: ArgumentHelp("A header field of the request; may be repeated.", valueName: "name:value"))
    var header: [String] = []
    @Option(help: ArgumentHelp("The file to send.", valueName: "file"), completion: .file()) var input: String?
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The file to write the reply to; an earlier, broken download is continued.", valueName: "file"),
        completion: .file())
    var output: String?
    @OptionGroup var service: ServiceOptions

    func validate() throws {
        guard field.isEmpty || input == nil else { throw ValidationError("Specify only one of --field and --input.") }
        guard output == nil || (field.isEmpty && input == nil && method.map { $0.uppercased() == "GET" } ?? true) else {
            throw ValidationError("--output is for a GET.")
        }
        _ = try members
        _ = try headerFields
        _ = try httpMethod
    }

    @MainActor func run() async throws {
        let api = API.gitHub(service.baseURL, token: service.credential, isVerbose: service.verbose)
        let url = URLTemplate(path.hasPrefix("/") || path.contains("://") ? path : "/" + path)
        let fields = try headerFields
        if let output {
            _ = try await api.download(url, to: URL(filePath: output), resumes: true, with: { $0.headers = fields })
            return
        }
        let response = try await api.send(try httpMethod, url, body: try body) { $0.headers = fields }
        try write([String(decoding: response.body, as: UTF8.self)].filter { !$0.isEmpty })
    }

    private var httpMethod: HTTPRequest.Method {
        get throws {
            guard let method else { return field.isEmpty && input == nil ? .get : .post }
            guard let known = HTTPRequest.Method(method.uppercased()) else {
                throw ValidationError("'\(method)' is no method.")
            }
            return known
        }
    }

    private var body: RequestBody? {
        get throws {
            if let input { return .file(URL(filePath: input), type: "application/json") }
            return try field.isEmpty ? nil : .json(.object(members))
        }
    }

    private var members: [String: JSONValue] {
        get throws {
            try field.reduce(into: [:]) { members, text in
                guard let mark = text.firstIndex(of: "=") else {
                    throw ValidationError("'\(text)' is no field; write it as key=value.")
                }
                members[String(text[..<mark])] = .string(String(text[text.index(after: mark)...]))
            }
        }
    }

    private var headerFields: HTTPFields {
        get throws {
            try header.reduce(into: HTTPFields()) { fields, text in
                let parts = text.split(separator: ":", maxSplits: 1)
                guard parts.count == 2, let name = HTTPField.Name(String(parts[0])) else {
                    throw ValidationError("'\(text)' is no header field; write it as name:value.")
                }
                fields[name] = String(parts[1].drop { $0 == " " })
            }
        }
    }
}
