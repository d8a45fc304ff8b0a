import ArgumentParser
import Foundation

/// An argument, a file, or standard input.
struct BodyOptions: ParsableArguments {
    @Option(name: .shortAndLong, help: "The text, in Markdown.")
    var body: String?

    @Option(
        name: [.customShort("F"), .long],
        help: ArgumentHelp("The file that has the text; - is standard input.", valueName: "file"),
        completion: .file())
    var bodyFile: String?

    var isGiven: Bool { body != nil || bodyFile != nil }

    func validate() throws {
        guard body == nil || bodyFile == nil else {
            throw ValidationError("Specify only one of --body and --body-file.")
        }
    }

    func text() throws -> String? {
        guard let bodyFile else { return body }
        let isInput = bodyFile == "-"
        let file = isInput ? FileHandle.standardInput : FileHandle(forReadingAtPath: bodyFile)
        guard let data = try? file?.readToEnd() ?? Data(), file != nil,
            let text = String(validating: data, as: UTF8.self)
        else {
            throw CommandError(
                status: .ioFailed,
                message: "\(isInput ? "standard input" : bodyFile) can't be read, or is no text in UTF-8")
        }
        return text
    }
}
