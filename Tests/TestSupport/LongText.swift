/// A text of any length as a test's argument: a run prints each argument whole, and one of many kilobytes tears other
/// tests' lines apart.
package struct LongText: ExpressibleByStringLiteral, CustomStringConvertible, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package init(repeating part: String, count: Int) { self.init(String(repeating: part, count: count)) }

    package init(stringLiteral text: String) { self.init(text) }

    package var description: String {
        let start = text.prefix(100)
        return start.endIndex == text.endIndex
            ? String(reflecting: text) : "\(String(reflecting: start))… (\(text.utf8.count) bytes)"
    }
}
