import Conventions
import GeneratedCode
import ObjectStore
import OpenAPIFiles

/// Finds the part of the library that can send an undeclared operation.
struct OperationKind {
    private let operation: OpenAPIOperation
    private let description: OpenAPIDescription
    private let models: [ModelSchema]

    init(_ operation: OpenAPIOperation, of description: OpenAPIDescription, models: [ModelSchema]) {
        (self.operation, self.description, self.models) = (operation, description, models)
    }

    var uncovered: OpenAPIReport.Uncovered {
        let (kind, suggestion) = answer
        return OpenAPIReport.Uncovered(operation: operation.description, kind: kind, suggestion: suggestion)
    }

    private var answer: (OpenAPIReport.Kind, String) {
        if let reason = objection { return (.inexpressible, reason) }
        if operation.isStream {
            let method = operation.method == "GET" ? "" : ".\(operation.method.lowercased()), "
            return (.request, "api.stream(\(method)\(path)\(values)\(operation.method == "GET" ? "" : body))")
        }
        if operation.isDownload { return (.download, "api.download(\(path)\(values), to: file)") }
        let content = description.content(of: operation)
        let thing = content?.schema.map(className)
        let endsInName = segments.last?.soleParameter != nil
        let hasNames = !operation.path.pathParameters.isEmpty
        switch (content, operation.method, endsInName) {
        case (.list, "GET", false) where hasNames: return (.subresource, relationship(to: thing ?? "Item"))
        case (.list, "GET", false): return (.collection, collection(of: thing ?? "Item"))
        case (.object, "POST", false) where !hasNames && isCollection:
            return (.collection, collection(of: thing ?? "Item"))
        case (.object, _, true) where ["GET", "PATCH", "PUT", "POST"].contains(operation.method):
            return (.item, item(thing ?? "Item"))
        case (.object, "GET", false), (.object, "PATCH", false):
            return (
                .singleton,
                singleton(thing ?? "Item", hasIdentity: content?.schema.map(description.hasIdentity) ?? false)
            )
        case (_, "DELETE", true): return (.item, item(itemName))
        case (.some, "GET", _): return (.response, "api.json(\(path)\(values)), or a @ResponseBody struct")
        case (_, _, _) where operation.method != "GET" && hasNames: return (.action, action)
        default: return (.request, "api.send(.\(operation.method.lowercased()), \(path)\(values)\(body))")
        }
    }

    // MARK: What no call sends

    private var objection: String? {
        if operation.replies.contains(where: { $0.status == "101" }) {
            return "it changes the protocol (101), as for a WebSocket"
        }
        if operation.path.contains("#") { return "its path has a fragment, which no request has" }
        return nil
    }

    // MARK: Code

    private var segments: [String] { operation.path.pathSegments }
    private var path: String { SwiftName.literal(operation.path.routeTemplate) }

    /// `, ["owner": owner]`
    private var values: String {
        let names = operation.path.pathParameters
        guard !names.isEmpty else { return "" }
        let pairs = names.map { "\(SwiftName.literal($0)): \(SwiftName.spelt(SwiftName.variable(of: $0) ?? "value"))" }
        return ", [\(pairs.joined(separator: ", "))]"
    }

    private var body: String {
        guard let body = operation.body, let type = body.content.first else { return "" }
        if type.isJSON { return ", body: .json(…)" }
        if type.mediaType == "multipart/form-data" { return ", body: .multipart(…)" }
        if type.isForm { return ", body: .form(…)" }
        return type.isText ? ", body: .text(…)" : ", body: .file(…)"
    }

    private func className(_ schema: JSONSchema) -> String {
        let words = description.componentName(of: schema).map { SwiftName.words(of: $0) }
        return (words ?? [itemName]).map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    /// Of the path's last noun.
    private var itemName: String {
        let noun = segments.last { !$0.contains("{") } ?? "item"
        return SwiftName.words(of: AttributeMapping.singularizingLastWord(of: noun))
            .map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    /// Whether the path of a POST also has a list or items.
    private var isCollection: Bool {
        description.operations.contains { other in
            other.path.pathSegments.dropLast() == segments[...]
                || (other.path == operation.path && other.method == "GET")
        }
    }

    private func collection(of thing: String) -> String { "@Model(\(path)) final class \(thing)" }

    private func item(_ thing: String) -> String {
        let base = "/" + segments.dropLast().joined(separator: "/")
        return "@Model(\(SwiftName.literal(base.routeTemplate))) final class \(thing)"
    }

    private func relationship(to thing: String) -> String {
        let name = SwiftName.variable(of: segments.last ?? "items") ?? "items"
        return
            "@Relationship(\(path)) var \(SwiftName.spelt(name)): [\(thing)], or \(thing).fetchAll(\(path)\(values), in: context)"
    }

    private func singleton(_ thing: String, hasIdentity: Bool) -> String {
        if operation.method == "PATCH" { return "object.save(using: .patch) { $0.path = \(path) }" }
        return hasIdentity
            ? "\(thing).fetch(\(path)\(values), in: context)" : "api.json(\(path)\(values)), or a @ResponseBody struct"
    }

    private var action: String { "object.send(.\(operation.method.lowercased()), \(path)\(body))" }
}
