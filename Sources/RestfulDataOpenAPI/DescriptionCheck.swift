import Conventions
import Foundation
import ObjectStore
import OpenAPIFiles
import RestfulData

/// For the models of one API.
struct DescriptionCheck {
    let description: OpenAPIDescription
    let store: Store
    private let models: [ModelSchema]
    private let calls: [Call]
    private let operations: [Operation]

    private struct Call {
        let call: OpenAPIReport.Call
        let model: ModelSchema
        /// The model in the request and reply.
        let target: ModelSchema
        let patterns: [PathPattern]
    }

    private struct Operation {
        let operation: OpenAPIOperation
        let patterns: [PathPattern]
    }

    init(_ description: OpenAPIDescription, of store: Store, at api: APIIndex) {
        self.description = description
        self.store = store
        let schema = store.schema
        models = schema.models(of: api)
        let base = store.apis.indices.contains(api.rawValue) ? store.apis[api.rawValue].baseURL : ""
        let basePath = URL(string: base)?.path(percentEncoded: true).withoutSlash ?? ""
        let root = basePath == "/" ? "" : basePath
        calls = schema.models.flatMap { model -> [Call] in
            guard let explanation = store.explanation(of: model.type) else { return [] }
            return explanation.routes.compactMap { route in
                let target = Self.target(of: route, in: model, schema)
                guard (target ?? model).api == api else { return nil }
                let call = OpenAPIReport.Call(
                    model: explanation.model, route: route.name, method: route.method, template: route.template)
                let patterns = [PathPattern(template: route.template)]
                return Call(
                    call: call, model: model, target: target ?? model,
                    patterns: root.isEmpty ? patterns : patterns + [PathPattern(template: route.template, below: root)])
            }
        }
        let servers = Set(description.servers.compactMap { URL(string: $0)?.path(percentEncoded: true).withoutSlash })
            .subtracting(["/", ""]).sorted()
        operations = description.operations.map { operation in
            Operation(
                operation: operation,
                patterns: [PathPattern(path: operation.path)]
                    + servers.map { PathPattern(path: operation.path, below: $0) })
        }
    }

    /// nil for a model's own route.
    private static func target(
        of route: Explanation.Route, in model: ModelSchema, _ schema: Schema
    ) -> ModelSchema? {
        guard route.name.hasPrefix("$"), let name = route.name.dropFirst().split(separator: ".").first else {
            return nil
        }
        return model.declared.first { $0.name == name }.flatMap { schema.target(of: $0) }
    }

    // MARK: The report

    var report: OpenAPIReport {
        var covered: [OpenAPIReport.Covered] = []
        var uncovered: [OpenAPIReport.Uncovered] = []
        var matched: Set<OpenAPIReport.Call> = []
        var exchanges: [ModelExchange] = []
        let byMethod = Dictionary(grouping: calls) { $0.call.method }
        for operation in operations {
            let found = (byMethod[operation.operation.method] ?? []).filter { Self.matches($0, operation) }
            if found.isEmpty {
                uncovered.append(OperationKind(operation.operation, of: description, models: models).uncovered)
                continue
            }
            covered.append(
                OpenAPIReport.Covered(operation: operation.operation.description, calls: found.map(\.call)))
            matched.formUnion(found.map(\.call))
            exchanges += found.map {
                ModelExchange(call: $0.call, model: $0.target, operation: operation.operation)
            }
        }
        let unmatched = calls.filter { !matched.contains($0.call) }
        let shapes = ShapeCheck(description: description, store: store, exchanges: exchanges)
        return OpenAPIReport(
            title: description.title, covered: covered,
            differences: routeDifferences(unmatched, matched) + models.flatMap { shapes.differences(of: $0) },
            uncovered: uncovered, undescribed: unmatched.map(\.call), problems: description.problems)
    }

    private static func matches(_ call: Call, _ operation: Operation) -> Bool {
        call.patterns.contains { pattern in operation.patterns.contains { pattern.covers($0) } }
    }

    // MARK: Routes that differ

    /// For models with only undescribed calls, and models that save or create by another method.
    private func routeDifferences(
        _ unmatched: [Call], _ matched: Set<OpenAPIReport.Call>
    ) -> [OpenAPIReport.Difference] {
        let known = Set(matched.map(\.model))
        return models.flatMap { model -> [OpenAPIReport.Difference] in
            let own = unmatched.filter { $0.model === model && !$0.call.route.hasPrefix("$") }
            guard let first = own.first else { return [] }
            if !known.contains(first.call.model) { return [unknownModel(first)] }
            return own.compactMap(otherMethod)
        }
    }

    private func unknownModel(_ call: Call) -> OpenAPIReport.Difference {
        let paths = operations.compactMap(\.patterns.first?.text)
        let own = call.patterns.first?.text ?? ""
        let nearest = nearestName(to: own, among: paths).flatMap { near in
            operations.first { $0.patterns.first?.text == near }?.operation.path
        }
        return OpenAPIReport.Difference(
            model: call.call.model, property: nil, operation: nil,
            reason: "the description has no operation at \(call.call.template)"
                + (nearest.map { "; did you mean \($0.routeTemplate)?" } ?? ", nor at the URLs below it"))
    }

    private static let updates = ["PATCH", "PUT", "POST"]

    private func otherMethod(_ call: Call) -> OpenAPIReport.Difference? {
        guard ["save", "create"].contains(call.call.route) else { return nil }
        let isSave = call.call.route == "save"
        let there = operations.filter { operation in
            call.patterns.contains { pattern in operation.patterns.contains { pattern.covers($0) } }
        }
        guard isSave else { return putCreation(call) }
        guard let other = Self.updates.first(where: { method in there.contains { $0.operation.method == method } }),
            let operation = there.first(where: { $0.operation.method == other })
        else { return nil }
        return OpenAPIReport.Difference(
            model: call.call.model, property: nil, operation: "\(operation.operation)",
            reason: "\(call.call) sends \(call.call.method), and the service takes \(other): write saveMethod: "
                + ".\(other.lowercased()) in @Model")
    }

    /// For a model created by POST, if the service creates objects by PUT to their own URL (201).
    private func putCreation(_ call: Call) -> OpenAPIReport.Difference? {
        guard call.call.method == "POST",
            let fetch = calls.first(where: { $0.model === call.model && $0.call.route == "fetch" }),
            let put = operations.first(where: { $0.operation.method == "PUT" && Self.matches(fetch, $0) }),
            put.operation.replies.contains(where: { $0.status == "201" })
        else { return nil }
        return OpenAPIReport.Difference(
            model: call.call.model, property: nil, operation: "\(put.operation)",
            reason:
                "\(call.call) sends \(call.call.request), which the service doesn't have: write creates: .put in @Model"
        )
    }
}
