import Foundation

/// Sentences for users, from the messages of rules and servers.
package enum UserText {
    package static let contactSupport = "If this happens again, contact the app's support."
    package static let tryAgain = "Try again."
    package static let tryLater = "Try again later."

    /// One for each message: `Title is too long`. A long list ends with the number of others.
    package static func sentences(_ fields: [String: [String]], objectErrors: [String] = []) -> [String] {
        let limit = 5
        let all =
            objectErrors.compactMap(shown)
            + fields.sorted { $0.key < $1.key }.flatMap { name, messages in
                messages.map { sentence(about: name, $0) }
            }
        return all.count > limit ? all.prefix(limit - 1) + ["and \(all.count - limit + 1) more"] : all
    }

    /// `Created at is too late` for `createdAt` and `is too late`. A message with a capital letter is a sentence of its
    /// own after a colon, unless it begins with the name.
    package static func sentence(about property: String, _ message: String) -> String {
        let name = name(of: property)
        guard let text = shown(message) else { return "\(name) isn't accepted" }
        if text.lowercased().hasPrefix(name.lowercased() + " ") { return text }
        return text.first?.isLowercase == true ? "\(name) \(text)" : "\(name): \(text)"
    }

    /// `Created at` for `createdAt`, `Comments text` for `comments[1].text`.
    package static func name(of property: String) -> String {
        var words: [String] = [""]
        var (isInIndex, wasUppercase) = (false, false)
        for character in property {
            switch character {
            case "[": isInIndex = true
            case "]": isInIndex = false
            case _ where isInIndex: continue
            case ".", "_", "-", " ": words.append("")
            default:
                if character.isUppercase, !wasUppercase { words.append("") }
                words[words.count - 1].append(character)
            }
            wasUppercase = character.isUppercase
        }
        let text = words.filter { !$0.isEmpty }.map { isAcronym($0) ? $0 : $0.lowercased() }.joined(separator: " ")
        return text.prefix(1).uppercased() + text.dropFirst()
    }

    private static func isAcronym(_ word: String) -> Bool { word.count > 1 && word.allSatisfy { !$0.isLowercase } }

    /// A trimmed message; nil if it is empty, or has a URL.
    package static func shown(_ message: String) -> String? {
        let text = message.trimmingCharacters(in: .whitespacesAndNewlines)
        return text.isEmpty || hasURL(text) ? nil : text
    }

    /// Includes relative URLs with a query, which may have secrets.
    private static func hasURL(_ text: String) -> Bool {
        text.split(whereSeparator: \.isWhitespace).contains { word in
            let word = word.lowercased()
            return word.contains("://") || word.contains("www.") || (word.contains("?") && word.contains("="))
        }
    }

    /// Several sentences are on lines of their own. Nil for an empty array.
    package static func list(_ sentences: [String], after text: String) -> String? {
        switch sentences.count {
        case 0: nil
        case 1: "\(text): \(sentences[0])"
        default: "\(text):\n" + sentences.joined(separator: "\n")
        }
    }
}
