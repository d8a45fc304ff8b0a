import Dispatch
public import Foundation
import Logging
public import ObjectStore
import Synchronization

extension Store {
    /// Makes a store in memory with the objects of a JSON file, without an API, for previews and tests.
    ///
    /// ```swift
    /// let store = try Store.preview(Issue.self, json: "issues")        // issues.json: one issue, or an array of them
    /// ```
    ///
    /// The store is deleted when you release it. Values of a wrong type are omitted, and their paths are logged to
    /// swift-log, label `RestfulData`.
    ///
    /// - Parameters:
    ///   - type: the model of the file's own objects.
    ///   - name: the file's name, without `.json`.
    ///   - bundle: the bundle of the file.
    ///   - keyPath: the keys of an envelope around the object or list.
    ///   - models: further models, such as submodels. `type`, and the models that its relationships lead to, are
    ///     included.
    ///   - conventions: the conventions of the service that the JSON comes from.
    /// - Throws: ``StoreError/file(_:path:)`` if the file is missing; otherwise as
    ///   ``ObjectContext/import(_:from:at:isAllOrNothing:depth:)``, also for an unreadable single object.
    @MainActor
    public static func preview<M: Model>(
        _ type: M.Type, json name: String, in bundle: Bundle = .main, at keyPath: JSONKeyPath? = nil,
        models: [any Model.Type] = [], conventions: APIConventions = .default
    ) throws(StoreError) -> Store {
        guard let url = bundle.url(forResource: name, withExtension: "json"), let body = try? Data(contentsOf: url)
        else {
            throw .file(.cannotOpen("the bundle has none of that name"), path: "\(name).json")
        }
        return try preview(type, from: body, at: keyPath, models: models, conventions: conventions)
    }

    /// Makes a store in memory with the objects of JSON: `Store.preview(Issue.self, from: Data(#"[{"id": 1}]"#.utf8))`.
    @MainActor
    public static func preview<M: Model>(
        _ type: M.Type, from body: some ContiguousBytes & Sendable, at keyPath: JSONKeyPath? = nil,
        models: [any Model.Type] = [], conventions: APIConventions = .default
    ) throws(StoreError) -> Store {
        let store = try Store(.inMemory, models: reached(from: [type] + models), conventions: conventions)
        let report = try store.importNow(type, from: body, at: keyPath)
        if !report.isComplete {
            Logger(label: "RestfulData").warning("preview of \(type): left out: \(report.summaryOfLeftOut)")
        }
        return store
    }

    /// Adds parents, and models that relationships lead to.
    private static func reached(from models: [any Model.Type]) -> [any Model.Type] {
        var (found, waiting): ([any Model.Type], [any Model.Type]) = ([], models)
        var seen: Set<ObjectIdentifier> = []
        while let model = waiting.popLast() {
            guard seen.insert(ObjectIdentifier(model)).inserted else { continue }
            found.append(model)
            let description = model.modelDescription
            waiting += description.properties.compactMap(\.target) + [description.options.parent].compactMap(\.self)
        }
        return found
    }

    /// Imports all or nothing, and blocks until that ends. The main actor may wait, since the import runs apart from
    /// it.
    @MainActor
    private func importNow<M: Model>(
        _ type: M.Type, from body: some ContiguousBytes & Sendable, at keyPath: JSONKeyPath?
    ) throws(StoreError) -> ImportReport {
        let (done, outcome) = (DispatchSemaphore(value: 0), Outcome())
        Task.detached { [self] in
            do {
                let report = try await background { context in
                    try await context.importReporting(type, from: body, at: keyPath, isAllOrNothing: true)
                }
                outcome.result.withLock { $0 = .success(report) }
            } catch {
                outcome.result.withLock { $0 = .failure(error as? StoreError ?? .constraint("\(error)")) }
            }
            done.signal()
        }
        done.wait()
        return try outcome.result.withLock { $0 }.get()
    }

    private final class Outcome: Sendable {
        let result = Mutex<Result<ImportReport, StoreError>>(.failure(.cancelled))
    }
}
