import Foundation
import ObjectStore

extension ObjectContext {
    /// Imports JSON text.
    @discardableResult
    nonisolated(nonsending) func take<M: Model>(
        _ type: M.Type, _ json: String, at keyPath: String? = nil, isAllOrNothing: Bool = false
    ) async throws(StoreError) -> Imported<M> {
        try await self.import(
            type, from: Array(json.utf8), at: keyPath.map { JSONKeyPath($0) }, isAllOrNothing: isAllOrNothing)
    }
}

extension Store {
    /// Imports JSON text in a background context.
    @discardableResult
    func takeElsewhere<M: Model>(_ type: M.Type, _ json: String) async throws -> ImportReport {
        try await background { context in try await context.take(type, json).report }
    }
}

extension StoreError {
    /// Whether it only reports deleted objects: everything else was saved then.
    var isOfDeletedObjects: Bool {
        switch self {
        case .deletedObject: true
        case .several(let errors): errors.allSatisfy(\.isOfDeletedObjects)
        default: false
        }
    }
}

/// Saves a context. Objects that were deleted elsewhere take their edits along, which one save reports.
func saveDespiteDeletions(
    _ context: ObjectContext, isolation: isolated (any Actor)? = #isolation
) async throws(StoreError) {
    do throws(StoreError) { try await context.save() } catch {
        guard error.isOfDeletedObjects else { throw error }
    }
}

/// The description of the error that `body` throws, with the type's name in front unless it is the store's; "none" if
/// it succeeds.
func failure(_ body: () async throws -> Void) async -> String {
    do {
        try await body()
        return "none"
    } catch let error as StoreError {
        return "\(error)"
    } catch {
        return "\(type(of: error)): \(error)"
    }
}
