import Foundation
import GeneratedCode
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
        if let reason = Self.objection(to: typeName) {
            let problem = WebServiceProblem(path: "", line: nil, reason: "\(reason); give another with --name")
            throw .invalid(file: source.name, [problem])
        }
    }

    /// Why a type can't have a name; nil if it can.
    private static func objection(to name: String) -> String? {
        if !SwiftName.isIdentifier(name) { return "\"\(name)\" is no name of a Swift type" }
        return usedTypes.contains(name) ? "\"\(name)\" is a type that the code uses" : nil
    }

    private static let usedTypes: Set<String> = [
        "API", "APIError", "APIResponse", "Any", "Call", "Data", "Decodable", "ObjectContext", "ReplyReader",
        "RouteValueConvertible", "Sendable", "String", "TransferProgress", "URL", "Void", "WebService",
        "WebServiceError",
    ]

    private var access: String { options.access.isEmpty ? "" : options.access + " " }

    /// What other files of a module import is public, unless they say it.
    private var importAccess: String { options.access.isEmpty ? "" : "public " }

    /// What each file of such code begins with.
    package static let beginning = "// Made of "

    /// The code, as `swift-format` leaves it.
    package var text: String {
        let functions = file.methods.flatMap { method in
            ServiceFunction.all(of: method, decodableTypes: options.decodableTypes).map { $0.text(access: access) }
        }
        return """
            \(Self.beginning)\(source.name) by `swift package generate-service`. Change that file, and make this one again.

            \(imports(for: functions))

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

    /// A public import that no declaration uses would be a warning.
    private func imports(for functions: [String]) -> String {
        let code = functions.joined(separator: "\n").split(separator: "\n").filter { !$0.hasPrefix("///") }
        let words = Set(code.joined(separator: " ").split { !($0.isLetter || $0.isNumber) }.map(String.init))
        let own = "\(importAccess)import RestfulData"
        if !words.isDisjoint(with: ["Data", "Date", "Decimal", "URL", "UUID"]) {
            return "\(importAccess)import Foundation\n\(own)"
        }
        return own
    }

    private static func indented(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? "" : "    " + $0 }
            .joined(separator: "\n")
    }

    /// The file as JSON, in a literal of several lines. JSON has no three quotes in a row, and where it has a backslash
    /// before such marks, the literal has more of them.
    private var literal: String {
        let json = source.indentedJSON
        var marks = "#"
        while json.contains("\\" + marks) { marks += "#" }
        let lines = json.split(separator: "\n", omittingEmptySubsequences: false).map { "        " + $0 }
        return "\(marks)\"\"\"\n\(lines.joined(separator: "\n"))\n        \"\"\"\(marks)"
    }
}
