import Foundation
import GeneratedCode
package import ServiceFiles

/// A type with a function for each method of a service file.
package struct ServiceSource {
    package struct Options: Sendable {
        /// nil for one made from the file's name.
        package var typeName: String?
        /// `public` or `package`; empty for internal.
        package var access = ""
        /// Other types of results are models.
        package var decodableTypes: Set<String> = []

        package init() {}
    }

    private let file: ServiceFile
    private let source: ServiceFile.Source
    private let options: Options
    private let typeName: String

    /// - Throws: ``WebServiceError/invalid(file:_:)``, also for an invalid name of the type.
    package init(_ source: ServiceFile.Source, _ options: Options) throws(WebServiceError) {
        file = try ServiceFile(source, readers: nil)
        (self.source, self.options) = (source, options)
        typeName = options.typeName ?? SwiftName.type(ofFile: source.name)
        if let reason = Self.objection(to: typeName) {
            let problem = WebServiceProblem(path: "", line: nil, reason: "\(reason); give another with --name")
            throw .invalid(file: source.name, [problem])
        }
    }

    /// nil for a valid name.
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

    package static let beginning = "// Made of "

    /// Formatted as by `swift-format`.
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

    /// The compiler warns of an unused import.
    private func imports(for functions: [String]) -> String {
        let code = functions.joined(separator: "\n").split(separator: "\n").filter { !$0.hasPrefix("///") }
        let words = Set(code.joined(separator: " ").split { !($0.isLetter || $0.isNumber) }.map(String.init))
        // `InternalImportsByDefault` needs the type's own access level.
        let own = "\(access)import RestfulData"
        if !words.isDisjoint(with: ["Data", "Date", "Decimal", "URL", "UUID"]) {
            return "\(access)import Foundation\n\(own)"
        }
        return own
    }

    private static func indented(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? "" : "    " + $0 }
            .joined(separator: "\n")
    }

    /// In this literal, three quotation marks in a row can't occur, as JSON has none. Its `#` marks outnumber those
    /// after any backslash.
    private var literal: String {
        let json = source.indentedJSON
        var marks = "#"
        while json.contains("\\" + marks) { marks += "#" }
        let lines = json.split(separator: "\n", omittingEmptySubsequences: false).map { "        " + $0 }
        return "\(marks)\"\"\"\n\(lines.joined(separator: "\n"))\n        \"\"\"\(marks)"
    }
}
