package import HTTPTypes
package import JSONBytes

/// A valid method of a service file: its name and its request.
package struct ServiceMethod: Sendable {
    /// The name in the file: `downloadImageWithName:completionBlock:progressBlock:`.
    package let key: String
    /// The name in Swift: `downloadImage`.
    package let name: String
    /// A text for readers of the code.
    package let about: String?
    package let arguments: [String]
    /// The Swift types of arguments by name, if the file has them, for generated code.
    package let types: [String: String]
    package let request: Request
    /// The name of the reader for replies; nil for JSON.
    package let reader: String?
    /// The name of the type of results; nil if the file leaves it open.
    package let result: String?

    package struct Request: Sendable {
        package var method: HTTPRequest.Method = .get
        package var path = ServiceValue.none
        package var query = ServiceValue.none
        package var header = ServiceValue.none
        /// The fields of the query of a GET, or of the form of a POST.
        package var parameters = ServiceValue.none
        package var files = ServiceValue.none
        package var body = ServiceValue.none
        package var contentType: String?
        package var kind = Kind.data
        /// Whether the request leaves out the API's ``API/headers``.
        package var leavesOutSharedHeaders = false

        package var places: [ArgumentPlace] {
            [path, query, header, parameters, files, body].flatMap(\.places)
        }
    }

    package enum Kind: String, Sendable {
        case data, upload, download
    }

    /// The first part of the key, which is an alternative name: `downloadImageWithName`.
    package var longName: String { ServiceMethodName(key).long }

    /// The call of the method: `downloadImage(name)`.
    package var signature: String { "\(name)(\(arguments.joined(separator: ", ")))" }
}

/// A value of a service file: text with indicators, or a list or object of such values.
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

/// The names of a method and its arguments, derived from the key in the file.
struct ServiceMethodName {
    /// The name up to the preposition, a leading `get` removed: `downloadImage`.
    let short: String
    /// The first part of the key: `downloadImageWithName`.
    let long: String
    /// The names of the arguments; nil for a plain name.
    let arguments: [String]?

    /// Reads a plain name, or an Objective-C selector such as `searchWithZIPCode:completionBlock:`. Blocks are dropped:
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

    /// Splits `downloadImageWithName` into `downloadImage` and `Name`.
    private static func split(_ part: String) -> (name: String, argument: String?) {
        for preposition in ["With", "For", "By"] {
            guard let range = part.firstRange(of: preposition), range.lowerBound > part.startIndex,
                part[range.upperBound...].first?.isUppercase == true
            else { continue }
            return (String(part[..<range.lowerBound]), String(part[range.upperBound...]))
        }
        return (part, nil)
    }

    private static func isBlock(_ part: String) -> Bool {
        let part = part.lowercased()
        return ["block", "handler", "completion", "progress"].contains(where: part.hasSuffix)
    }

    /// The Swift name of an Objective-C getter: `usersList` for `getUsersList`.
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
