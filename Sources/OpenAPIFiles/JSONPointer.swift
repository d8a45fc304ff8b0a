import Foundation

/// The location of a value in a document (RFC 6901), such as `#/paths/~1users/get`.
package struct JSONPointer: Sendable, Hashable, CustomStringConvertible {
    package let tokens: [String]

    package init(_ tokens: [String] = []) { self.tokens = tokens }

    /// Reads a `$ref`; nil for one to another document.
    package init?(reference: String) {
        guard reference.hasPrefix("#") else { return nil }
        let text = reference.dropFirst()
        if text.isEmpty {
            self.init()
            return
        }
        guard text.hasPrefix("/") else { return nil }
        self.init(
            text.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map { token in
                let decoded = String(token).removingPercentEncoding ?? String(token)
                return decoded.replacing("~1", with: "/").replacing("~0", with: "~")
            })
    }

    package func appending(_ tokens: String...) -> JSONPointer { JSONPointer(self.tokens + tokens) }

    /// As in a `$ref`.
    package var description: String {
        "#"
            + tokens.map { "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1") }.joined()
    }

    /// nil for other locations than component schemas.
    package var componentName: String? {
        tokens.count == 3 && tokens[0] == "components" && tokens[1] == "schemas" ? tokens[2] : nil
    }
}
