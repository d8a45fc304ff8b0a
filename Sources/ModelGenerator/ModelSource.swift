import Conventions
import GeneratedCode
package import OpenAPIFiles

/// The Swift code for a description, as a draft for people to edit: a class for each resource with a path, and for each
/// class that these refer to.
package struct ModelSource {
    private let description: OpenAPIDescription
    private let plan: ModelPlan

    package init(_ description: OpenAPIDescription) {
        self.description = description
        plan = ModelPlan(description)
    }

    package var names: [String] { plan.written.map(\.name) }

    /// Formatted as by `swift-format`.
    package var text: String {
        let (title, file) = (CommentText.printable(description.title), CommentText.printable(description.name))
        let head = """
            // Models of \(title), made of \(file) by `swift package generate-models`.
            // A start: rename, remove and correct what you like. `store.check(against:)` compares them with the file.

            import Foundation
            import RestfulData

            """
        return ([head] + plan.written.map { ModelText(model: $0, plan: plan).text }).joined(separator: "\n")
    }
}

private struct ModelText {
    let model: ModelClass
    let plan: ModelPlan

    var text: String {
        let enums = model.properties.flatMap(enumeration)
        let body = enums + model.properties.flatMap(lines)
        return
            (comment + [attribute, "final class \(model.name) {"] + body.map { $0.isEmpty ? "" : "    " + $0 } + [
                "}", "",
            ])
            .joined(separator: "\n")
    }

    // MARK: The comment

    private var comment: [String] {
        var lines = model.about.map { Self.about($0, width: 112) } ?? []
        if let routes = model.routes {
            let paths = [routes.collection, routes.item].compactMap(\.self).compactMap { path -> String? in
                let methods = routes.operations.filter { $0.path.withoutSlash == path }.map(\.method)
                return methods.isEmpty ? nil : "`\(methods.joined(separator: ", ")) \(path)`"
            }
            if !lines.isEmpty { lines.append("") }
            lines += CommentText.wrapped(paths.joined(separator: " and "), to: 116)
            if routes.base == nil {
                let names = routes.unmapped.map { "{\($0)}" }.joined(separator: " and ")
                lines += CommentText.wrapped(
                    "No property is sure to stand for \(names): write the path in @Model, with :name for each property.",
                    to: 116)
            }
        }
        return lines.map { $0.isEmpty ? "///" : "/// \(CommentText.printable($0))" }
    }

    /// Its first paragraph, without HTML tags.
    private static func about(_ text: String, width: Int) -> [String] {
        let paragraph = text.split(separator: "\n\n", omittingEmptySubsequences: true).first.map(String.init) ?? ""
        let plain = paragraph.replacing(/<[^<>]*>/, with: "").split(whereSeparator: \.isWhitespace)
            .joined(separator: " ")
        let short = plain.count > 400 ? plain.prefix(400) + "…" : plain[...]
        return CommentText.wrapped(String(short), to: width)
    }

    // MARK: @Model

    private var attribute: String {
        let table = plan.tableName(of: model).map { "table: \(SwiftName.literal($0))" }
        if model.isEmbedded { return "@Model(\(table.map { "\($0), " } ?? "")embedded: true)" }
        var arguments: [String] = []
        let routes = model.routes
        if let routes, let base = routes.base {
            arguments.append(SwiftName.literal(base.routeTemplate))
            if let key = routes.key, key != model.identity.last { arguments.append("key: \(literal(ofProperty: key))") }
        }
        let names = model.identity.map { swiftName(of: $0) }
        if names != ["identifier"], names != ["id"] {
            arguments.append("identity: \(names.map { SwiftName.literal($0) }.joined(separator: ", "))")
        }
        if let table { arguments.append(table) }
        if let routes, routes.base != nil { arguments += details(of: routes) }
        guard !arguments.isEmpty else { return "@Model" }
        let line = "@Model(\(arguments.joined(separator: ", ")))"
        return line.count <= 120 ? line : "@Model(\n    \(arguments.joined(separator: ",\n    "))\n)"
    }

    private func details(of routes: ModelRoutes) -> [String] {
        var arguments: [String] = []
        if let object = routes.objectKey {
            let list = routes.listKey.map { ", list: \(SwiftName.literal($0))" } ?? ""
            arguments.append("envelope: .named(\(SwiftName.literal(object))\(list))")
        } else if let list = routes.listKey {
            arguments.append("envelope: .list(\(SwiftName.literal(list)))")
        }
        let methods = routes.methods(at: routes.item)
        if routes.key != nil, !methods.contains("PATCH") {
            if methods.contains("PUT") {
                arguments.append("saveMethod: .put")
                if !routes.methods(at: routes.collection).contains("POST") { arguments.append("creates: .put") }
            } else if methods.contains("POST") {
                arguments.append("saveMethod: .post")
            }
        }
        return arguments
    }

    private func swiftName(of json: String) -> String { model.properties.first { $0.json == json }?.name ?? json }

    private func literal(ofProperty json: String) -> String { SwiftName.literal(swiftName(of: json)) }

    // MARK: Properties

    private func enumeration(of property: ModelProperty) -> [String] {
        guard case .enumeration(let name, let values) = property.kind else { return [] }
        let cases = PropertyNamer.cases(of: values).map { name, value in
            SwiftName.spelt(name) + (name == value ? "" : " = \(SwiftName.literal(value))")
        }
        let line = "enum \(name): String { case \(cases.joined(separator: ", ")) }"
        if line.count <= 112, !line.contains("=") { return [line, ""] }
        return ["enum \(name): String {"] + cases.map { "    case \($0)" } + ["}", ""]
    }

    private func lines(of property: ModelProperty) -> [String] {
        var lines: [String] = []
        if let about = property.about {
            lines += Self.about(about, width: 112).map { "/// \(CommentText.printable($0))" }
        }
        let marker = marker(of: property).map { $0 + " " } ?? ""
        let declaration = "var \(SwiftName.spelt(property.name))\(type(of: property))"
        let isLong = marker.count + declaration.count > 112
        return lines + (isLong ? [String(marker.dropLast()), declaration] : [marker + declaration])
    }

    private func type(of property: ModelProperty) -> String {
        switch property.kind {
        case .enumeration(let name, _): return ": \(name)?"
        case .toOne(let key): return ": \(plan[key]?.name ?? "JSONValue")?"
        case .toMany(let key): return ": [\(plan[key]?.name ?? "JSONValue")]"
        case .value(let type, let value):
            // New objects lack an `identifier`, which the macro makes the identity.
            let isIdentity = model.identity.contains(property.json) || ["identifier", "id"].contains(property.name)
            guard property.isRequired, !isIdentity, let value else { return ": \(type)?" }
            let isInferred = ["Bool", "String", "Int"].contains(type)
            return isInferred ? " = \(value)" : ": \(type) = \(value)"
        }
    }

    private func marker(of property: ModelProperty) -> String? {
        let path = property.json.replacing(".", with: "\\.") + (property.wrapper.map { ".\($0)" } ?? "")
        let json = property.needsJSON || property.wrapper != nil ? SwiftName.literal(path) : nil
        switch property.kind {
        case .value, .enumeration:
            var arguments = json.map { [$0] } ?? []
            if let access = property.access { arguments.append("access: \(access)") }
            if let format = property.format { arguments.append("format: \(format)") }
            if model.routes?.keyIsPath ?? false, model.routes?.key == property.json { arguments.append("isPath: true") }
            return arguments.isEmpty ? nil : "@Attribute(\(arguments.joined(separator: ", ")))"
        case .toOne, .toMany:
            var arguments = property.route.map { [SwiftName.literal($0.routeTemplate)] } ?? []
            if let json { arguments.append("json: \(json)") }
            if let inverse = property.inverse {
                arguments.append("inverse: \(SwiftName.literal(inverse))")
            } else if property.json != model.routes?.owner?.link || !plan.isListed(model) {
                arguments.append("inverse: nil")
            }
            if property.access == ".readOnly" || property.route != nil { arguments.append("sentAs: .never") }
            if let verbs = property.verbs { arguments.append("verbs: \(verbs)") }
            return arguments.isEmpty ? nil : "@Relationship(\(arguments.joined(separator: ", ")))"
        }
    }
}

extension ModelPlan {
    /// Whether a list of the owner names the link back.
    fileprivate func isListed(_ model: ModelClass) -> Bool {
        guard let owner = model.routes?.owner, let owning = self[owner.key] else { return false }
        return owning.properties.contains { property in
            if case .toMany(model.key) = property.kind { property.inverse != nil } else { false }
        }
    }
}
