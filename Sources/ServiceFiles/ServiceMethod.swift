package import HTTPTypes
package import JSONBytes

package struct ServiceMethod: Sendable {
    /// In the file: `downloadImageWithName:completionBlock:progressBlock:`.
    package let key: String
    /// In Swift: `downloadImage`.
    package let name: String
    /// For readers of the code.
    package let about: String?
    package let arguments: [String]
    /// By argument, for generated code.
    package let types: [String: String]
    package let request: Request
    /// nil for JSON.
    package let reader: String?
    /// nil if the file leaves it open.
    package let result: String?

    package struct Request: Sendable {
        package var method: HTTPRequest.Method = .get
        package var path = ServiceValue.none
        package var query = ServiceValue.none
        package var header = ServiceValue.none
        /// A GET's query, or a POST's form.
        package var parameters = ServiceValue.none
        package var files = ServiceValue.none
        package var body = ServiceValue.none
        package var contentType: String?
        package var kind = Kind.data
        package var leavesOutSharedHeaders = false

        package var places: [ArgumentPlace] {
            [path, query, header, parameters, files, body].flatMap(\.places)
        }
    }

    package enum Kind: String, Sendable {
        case data, upload, download
    }

    /// Another name: `downloadImageWithName`.
    package var longName: String { ServiceMethodName(key).long }

    /// Such as `downloadImage(name)`.
    package var signature: String { "\(name)(\(arguments.joined(separator: ", ")))" }
}

/// Text with indicators, or a list or object of such values.
package indirect enum ServiceValue: Sendable {
    case none
    case text(ServiceText)
    case constant(JSONValue)
    case list([ServiceValue])
    case object([(key: String, value: ServiceValue)])

    package var places: [ArgumentPlace] {
        switch self {
        case .none, .constant: []
        case .text(let text): text.places
        case .list(let elements): elements.flatMap(\.places)
        case .object(let members): members.flatMap(\.value.places)
        }
    }

    package var isNone: Bool { if case .none = self { true } else { false } }
}

struct ServiceMethodName {
    /// Up to the preposition, and less a leading `get`: `downloadImage`.
    let short: String
    /// The key's first part: `downloadImageWithName`.
    let long: String
    /// nil for a plain name.
    let arguments: [String]?

    /// Reads a plain name, or an Objective-C selector such as `searchWithZIPCode:completionBlock:`. Drops blocks, as
    /// the call returns its result, and takes a closure for the progress.
    init(_ key: String) {
        guard key.contains(":") else {
            (short, long, arguments) = (key, key, nil)
            return
        }
        let parts = key.split(separator: ":").map(String.init)
        let first = parts.first ?? ""
        var arguments = Array(parts.dropFirst())
        // `getUsersListWithCompletionBlock:` has no argument before its block.
        let (name, argument) = Self.split(first)
        if !Self.isBlock(first) { arguments.insert(argument ?? Self.withoutGet(name), at: 0) }
        long = Self.isBlock(first) ? name : first
        short = Self.withoutGet(name)
        self.arguments = arguments.filter { !Self.isBlock($0) }.map(Self.lowercasingFirst)
    }

    /// `downloadImageWithName` is `downloadImage` and `Name`.
    private static func split(_ part: String) -> (name: String, argument: String?) {
        for preposition in ["With", "For", "By"] {
            // Not within a word, such as `Forecast`.
            let found = part.ranges(of: preposition).first { range in
                range.lowerBound > part.startIndex && part[range.upperBound...].first?.isUppercase == true
            }
            if let found { return (String(part[..<found.lowerBound]), String(part[found.upperBound...])) }
        }
        return (part, nil)
    }

    private static func isBlock(_ part: String) -> Bool {
        let part = part.lowercased()
        return ["block", "handler", "completion", "progress"].contains(where: part.hasSuffix)
    }

    /// `usersList` for `getUsersList`.
    private static func withoutGet(_ name: String) -> String {
        guard name.hasPrefix("get"), name.dropFirst(3).first?.isUppercase == true else { return name }
        return lowercasingFirst(String(name.dropFirst(3)))
    }

    /// `zipCode` for `ZIPCode`, `name` for `Name`.
    private static func lowercasingFirst(_ name: String) -> String {
        let capitals = name.prefix(while: \.isUppercase)
        guard !capitals.isEmpty else { return name }
        let isAcronym = capitals.count > 1 && capitals.count < name.count
        let head = isAcronym ? capitals.dropLast() : capitals
        return head.lowercased() + name.dropFirst(head.count)
    }
}
