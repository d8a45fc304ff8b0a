/// What a model's declaration says about the name of one property.
package struct DeclaredName: Hashable, Sendable {
    /// The property's name in Swift.
    package let swiftName: String

    /// The explicit JSON name or key path, such as `description` or `head.sha`, if the declaration has one.
    ///
    /// Dots separate the keys of nested objects. A dot that is part of a key is written `\.`, a backslash `\\`.
    package let keyPath: String?

    package init(_ swiftName: String, keyPath: String? = nil) {
        self.swiftName = swiftName
        self.keyPath = keyPath
    }

    /// The keys of the explicit key path; nil if there is none, or if one of its keys is empty.
    var explicitPath: [String]? {
        guard let keyPath else { return nil }
        var keys = [""]
        var isEscaped = false
        for character in keyPath {
            switch character {
            case _ where isEscaped:
                isEscaped = false
                keys[keys.count - 1].append(character)
            case "\\": isEscaped = true
            case ".": keys.append("")
            default: keys[keys.count - 1].append(character)
            }
        }
        return isEscaped || keys.contains("") ? nil : keys
    }
}
