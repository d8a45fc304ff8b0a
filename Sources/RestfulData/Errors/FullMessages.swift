import ObjectStore

/// Finds the property at the beginning of a message, as in "Title can't be blank".
///
/// It has all spellings, so make one for each reply: a model may have hundreds of properties, and a body thousands of
/// messages.
struct FullMessages {
    private struct Spelling {
        let property: String
        let count: Int
    }

    /// By the lowercased words. Of equal ones, the first property counts.
    private var spellings: [String: Spelling] = [:]
    private var longest = 0

    init(_ model: ModelSchema?) {
        for property in model?.properties ?? [] {
            for words in Self.spellings(of: property) where !words.isEmpty {
                let lowered = words.lowercased()
                guard spellings[lowered] == nil else { continue }
                spellings[lowered] = Spelling(property: property.name, count: words.count)
                longest = max(longest, words.count, lowered.count)
            }
        }
    }

    /// - Returns: the Swift name of the property with the longest spelling, and the words after it; nil if there is
    ///   none.
    func split(_ text: String) -> (name: String, rest: String)? {
        let beginning = text.prefix(longest + 1).lowercased()
        var best: Spelling?
        for end in beginning.indices where beginning[end] == " " {
            guard let found = spellings[String(beginning[..<end])], found.count > best?.count ?? 0,
                !text.dropFirst(found.count + 1).isEmpty
            else { continue }
            best = found
        }
        return best.map { ($0.property, String(text.dropFirst($0.count + 1))) }
    }

    /// Rails writes `published_at` as "Published at" and `author_id` as "Author".
    private static func spellings(of property: Property) -> [String] {
        let keys = [property.jsonPath.joined(separator: "."), property.jsonPath.last ?? property.name, property.name]
        return keys + keys.map { $0.replacing("_", with: " ").replacing("-", with: " ") }
    }
}
