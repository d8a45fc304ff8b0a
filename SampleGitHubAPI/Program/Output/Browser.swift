import Foundation

/// Opens an address by GH_BROWSER, BROWSER, or else the system's own command.
enum Browser {
    static func open(_ url: URL) throws {
        note("Opening \(url.absoluteString) in your browser.")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "\(opener) \"$1\"", "sh", url.absoluteString]
        process.standardOutput = FileHandle.standardError
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw CommandError(status: .failure, message: "'\(opener)' can't open \(url.absoluteString)")
        }
    }

    private static var opener: String {
        let environment = ProcessInfo.processInfo.environment
        #if os(macOS)
            let usual = "open"
        #else
            let usual = "xdg-open"
        #endif
        return [environment["GH_BROWSER"], environment["BROWSER"]].lazy.compactMap(\.self).first { !$0.isEmpty }
            ?? usual
    }
}

extension URL {
    /// The query may be any text.
    func searching(_ text: String) -> URL {
        let readable = CharacterSet.urlQueryAllowed.subtracting(CharacterSet(charactersIn: "+&#;"))
        let query = text.addingPercentEncoding(withAllowedCharacters: readable) ?? ""
        return URL(string: "\(absoluteString)?q=\(query)") ?? self
    }
}
