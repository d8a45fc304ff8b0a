import Foundation
import RestfulData
import RestfulDataTesting
import TestSupport

/// Service files that tests write, and the services of them.
struct ServiceFiles {
    let stub: StubTransport
    let api: API

    init(_ stub: StubTransport = StubTransport { _ in .json("{}") }) {
        self.stub = stub
        api = API("https://api.example.com/v1", transport: stub)
    }

    /// The service of a file with this text: JSON, or a property list in XML.
    func service(_ text: String, readers: [String: ReplyReader] = [:]) async throws -> WebService {
        let isJSON = text.drop(while: \.isWhitespace).first == "{"
        return try await withTemporaryFolder { folder in
            let url = folder.appending(path: isJSON ? "Test.json" : "Test.plist")
            try Data(text.utf8).write(to: url)
            return isJSON
                ? try WebService(jsonURL: url, api: api, readers: readers)
                : try WebService(plistURL: url, api: api, readers: readers)
        }
    }

    /// The mistakes of a file with this text.
    func problems(_ text: String, readers: [String: ReplyReader] = [:]) async throws -> [String] {
        do {
            _ = try await service(text, readers: readers)
            return []
        } catch WebServiceError.invalid(_, let problems) {
            return problems.map(\.description)
        }
    }

    /// The property list, in XML, whose root dictionary has this content.
    static func propertyList(_ content: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <dict>
        \(content)
        </dict>
        </plist>
        """
    }
}
