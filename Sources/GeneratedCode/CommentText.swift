/// Foreign text in the comments of generated code.
package enum CommentText {
    /// The text with spaces for line breaks and other control characters, which would end a comment.
    package static func printable(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { isPrintable($0) ? $0 : " " }))
    }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        ![.control, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
    }

    /// The text in lines of at most `length` characters. A longer word has a line of its own.
    package static func wrapped(_ text: String, to length: Int) -> [String] {
        text.split(whereSeparator: \.isNewline).flatMap { paragraph -> [String] in
            var lines = [""]
            for word in paragraph.split(separator: " ") {
                let line = lines[lines.count - 1]
                if !line.isEmpty, line.count + word.count + 1 > length {
                    lines.append(String(word))
                } else {
                    lines[lines.count - 1] = line.isEmpty ? String(word) : "\(line) \(word)"
                }
            }
            return lines
        }
    }
}
