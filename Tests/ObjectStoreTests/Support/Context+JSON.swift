import Foundation
import ObjectStore

extension ObjectContext {
    /// Imports JSON text.
    @discardableResult
    nonisolated(nonsending) func take<M: Model>(
        _ type: M.Type, _ json: String, at keyPath: String? = nil, isAllOrNothing: Bool = false
    ) async throws(StoreError) -> Imported<M> {
        try await self.import(type, from: Array(json.utf8), at: keyPath, isAllOrNothing: isAllOrNothing)
    }
}

extension Store {
    /// Imports JSON text in a background context.
    @discardableResult
    func takeElsewhere<M: Model>(_ type: M.Type, _ json: String) async throws -> ImportReport {
        try await background { context in try await context.take(type, json).report }
    }
}
