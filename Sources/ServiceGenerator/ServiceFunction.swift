import GeneratedCode
import ServiceFiles

/// A method of the file, with one kind of result.
struct ServiceFunction {
    enum Result {
        case response
        case decoded
        case file
        /// Of a model.
        case objects(String)
        case object(String)
        /// Read by `JSONDecoder`.
        case value(String)
    }

    private let method: ServiceMethod
    private let arguments: [ServiceParameter]
    private let result: Result

    /// One for each kind of result.
    static func all(of method: ServiceMethod, decodableTypes: Set<String>) -> [ServiceFunction] {
        let arguments = ServiceParameter.all(of: method)
        return results(of: method, decodableTypes).map {
            ServiceFunction(method: method, arguments: arguments, result: $0)
        }
    }

    private static func results(of method: ServiceMethod, _ decodableTypes: Set<String>) -> [Result] {
        guard let type = method.result else {
            return method.request.kind == .download ? [.file] : [.response, .decoded]
        }
        let isList = type.hasPrefix("[") && type.hasSuffix("]")
        let name = isList ? String(type.dropFirst().dropLast()) : type
        if decodableTypes.contains(name) { return isList ? [.value(type)] : [.value("[\(name)]"), .value(name)] }
        return isList ? [.objects(name)] : [.objects(name), .object(name)]
    }

    // MARK: Code

    /// - Parameter access: ends in a space, unless empty.
    func text(access: String) -> String {
        let isDiscardable =
            switch result {
            case .response, .file: true
            default: false
            }
        let attribute = isDiscardable ? "@discardableResult\n" : ""
        return "\(comment)\n\(attribute)\(access)nonisolated(nonsending) \(signature(access: access)) {\n    \(call)\n}"
    }

    private var generics: String {
        if case .decoded = result { "<Value: Decodable & Sendable>" } else { "" }
    }

    private var returned: String {
        switch result {
        case .response: "APIResponse"
        case .decoded: "Value"
        case .file: "URL"
        case .objects(let model): "[\(model)]"
        case .object(let type), .value(let type): type
        }
    }

    private var parameters: [String] {
        let own = arguments.map { "_ \(SwiftName.spelt($0.name)): \($0.type)" }
        let target: [String] =
            switch result {
            case .file: ["to file: URL", "progress: (@Sendable (TransferProgress) -> Void)? = nil"]
            case .objects, .object: ["in context: ObjectContext"]
            case .response, .decoded, .value: []
            }
        return own + target + ["with settings: Call.Settings? = nil"]
    }

    private func signature(access: String) -> String {
        let head = "func \(SwiftName.spelt(method.name))\(generics)("
        let tail = ") async throws(APIError) -> \(returned)"
        let line = head + parameters.joined(separator: ", ") + tail
        // The modifiers and the type's indentation stand in front of it.
        let width = line.count + access.count + "    nonisolated(nonsending)  {".count
        if width <= Self.lineLength { return line }
        let list = parameters.joined(separator: ", ")
        let isShort = list.count + 8 <= Self.lineLength
        return head + "\n    " + (isShort ? list : parameters.joined(separator: ",\n    ")) + "\n" + tail
    }

    private var call: String {
        let own = arguments.map { SwiftName.spelt($0.name) }
        let target: [String] =
            switch result {
            case .file: ["to: file", "progress: progress"]
            case .objects, .object: ["in: context"]
            case .response, .decoded, .value: []
            }
        return
            "try await service.\(SwiftName.spelt(method.name))(\((own + target + ["with: settings"]).joined(separator: ", ")))"
    }

    private static let lineLength = 120

    // MARK: The comment

    private var comment: String {
        var lines: [String] = []
        if let about = method.about {
            lines += CommentText.wrapped(about, to: Self.lineLength - "    /// ".count) + [""]
        }
        lines += ["`\(method.requestLine)`", ""]
        lines += parameterLines
        lines.append("- Returns: \(returns)")
        lines.append("- Throws: `APIError`, as `WebServiceMethod` says.")
        return lines.map { $0.isEmpty ? "///" : "/// \(CommentText.printable($0))" }.joined(separator: "\n")
    }

    private var parameterLines: [String] {
        var entries = arguments.map { "\($0.name): \($0.about)" }
        switch result {
        case .file:
            entries += [
                "file: where the file is to be, in a folder that exists.",
                "progress: called as bytes come, on no particular actor.",
            ]
        case .objects, .object: entries.append("context: where the objects are to live.")
        case .response, .decoded, .value: break
        }
        entries.append("settings: the call's own `Call`.")
        return entries.count == 1
            ? ["- Parameter \(entries[0])"] : ["- Parameters:"] + entries.map { "  - \($0)" }
    }

    private var returns: String {
        switch result {
        case .response: "the response, whose status is one of 200 to 299."
        case .decoded: "the reply: `Data` and `String` as it is, all other types as `JSONDecoder` reads them."
        case .file: "`file`."
        case .objects: "the objects of the reply, in its order."
        case .object: "the object of the reply."
        case .value: "the reply, as `JSONDecoder` reads it."
        }
    }
}
