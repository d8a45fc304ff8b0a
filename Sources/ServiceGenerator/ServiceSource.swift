import Foundation
package import ServiceFiles

/// The Swift code of a service file: a type with a function for each of its methods.
package struct ServiceSource {
    /// What is said of the code beside the file.
    package struct Options: Sendable {
        /// The name of the type; nil is made of the file's name.
        package var typeName: String?
        /// `public`, `package`, or nothing for internal.
        package var access = ""
        /// The types of results that are no models but `Decodable`.
        package var decodableTypes: Set<String> = []

        package init() {}
    }

    private let file: ServiceFile
    private let source: ServiceFile.Source
    private let options: Options
    private let typeName: String

    /// - Throws: ``WebServiceError/invalid(file:_:)`` for mistakes of the file, and for a name that no type can have.
    package init(_ source: ServiceFile.Source, _ options: Options) throws(WebServiceError) {
        file = try ServiceFile(source, readers: nil)
        (self.source, self.options) = (source, options)
        typeName = options.typeName ?? SwiftName.type(ofFile: source.name)
        guard SwiftName.isIdentifier(typeName) else {
            let problem = WebServiceProblem(
                path: "", line: nil, reason: "\"\(typeName)\" is no name of a Swift type; give another with --name")
            throw .invalid(file: source.name, [problem])
        }
    }

    private var access: String { options.access.isEmpty ? "" : options.access + " " }

    /// The code, as `swift-format` leaves it.
    package var text: String {
        let functions = file.methods.flatMap { method in
            ServiceFunction.all(of: method, decodableTypes: options.decodableTypes).map { $0.text(access: access) }
        }
        return """
            // Made of \(source.name) by `swift package generate-service`. Change that file, and make this one again.

            \(access)import Foundation
            \(access)import RestfulData

            /// The methods of the web service that \(source.name) describes.
            \(access)struct \(typeName): Sendable {
                /// The service with all its methods, by their names.
                \(access)let service: WebService

                /// Makes the service.
                ///
                /// - Parameters:
                ///   - api: the API that the requests go to.
                ///   - readers: turns replies into JSON, by the names that the file has as `serializator`.
                /// - Throws: `WebServiceError` where a reader is missing.
                \(access)init(api: API, readers: [String: ReplyReader] = [:]) throws(WebServiceError) {
                    service = try WebService(json: Self.file, named: \(SwiftName.literal(source.name)), api: api, readers: readers)
                }

            \(functions.map { Self.indented($0) }.joined(separator: "\n\n"))

                private static let file = \(literal)
            }

            """
    }

    private static func indented(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? "" : "    " + $0 }
            .joined(separator: "\n")
    }

    /// The file as JSON, in a literal of several lines. JSON has neither three quotes in a row nor `\#`.
    private var literal: String {
        let lines = source.indentedJSON.split(separator: "\n", omittingEmptySubsequences: false)
        return "#\"\"\"\n\(lines.map { "        " + $0 }.joined(separator: "\n"))\n        \"\"\"#"
    }
}

/// Names in Swift.
enum SwiftName {
    /// `PharmacyService` of `pharmacy-service.plist`.
    static func type(ofFile name: String) -> String {
        let stem = name.split(separator: ".").first.map(String.init) ?? name
        return words(of: stem).map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    /// `zipCode` of `zip_code`, `xLocale` of `X-Locale`; nil where nothing of the text can be in a name.
    static func variable(of text: String) -> String? {
        let words = words(of: text)
        guard let first = words.first else { return nil }
        let isAcronym = first.allSatisfy { $0.isUppercase || $0.isNumber }
        let head = isAcronym ? first.lowercased() : first.prefix(1).lowercased() + first.dropFirst()
        let name = head + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        return name.first?.isNumber == true ? nil : name
    }

    private static func words(of text: String) -> [String] {
        text.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }.map(String.init)
    }

    static func isIdentifier(_ name: String) -> Bool {
        guard let first = name.first, first.isLetter || first == "_", !keywords.contains(name) else { return false }
        return name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    }

    /// The name as it is spelt where it is declared and used.
    static func spelt(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

    static func literal(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    /// The words that are no names unless they stand between backticks.
    private static let keywords: Set<String> = [
        "Any", "Protocol", "Self", "Type", "as", "associatedtype", "break", "case", "catch", "class", "continue",
        "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for",
        "func", "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "nil", "operator",
        "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return", "self", "static", "struct",
        "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "var", "where", "while",
    ]
}
