import Foundation
public import RestfulData

extension Store {
    /// All objects of the store as text, to compare a store before and after, or with what it should hold:
    ///
    /// ```
    /// User 583231
    ///   identifier = 583231
    ///   login = "octocat"
    ///   repositories → Repository 1296269, Repository 1300192
    /// ```
    ///
    /// Objects come by their identities, those without one last; attributes without a value and empty relationships are
    /// left out, and what is edited here and not confirmed by the server says so (`title = "new" (unsent)`). Unsaved
    /// edits of contexts don't show. It reads the whole store, in a background context.
    ///
    /// - Throws: ``StoreError`` when the file can't be read.
    public func contents() async throws -> String {
        try await background { context in
            try context.schema.roots.map { try context.contents(of: $0.type) }.joined()
        }
    }
}

extension ObjectContext {
    fileprivate func contents<M: Model>(of type: M.Type) throws(StoreError) -> String {
        let objects = try query(type).fetch().map { $0._object }
        let named = objects.filter { $0.hasIdentity }.sorted {
            $0.name.compare($1.name, options: .numeric) == .orderedAscending
        }
        return named.map { $0.contents }.joined()
            + objects.filter { !$0.hasIdentity }.map { $0.contents }.sorted().joined()
    }
}

extension ObjectState {
    fileprivate var contents: String {
        let unsent = Set(unsentProperties.map(\.index))
        let lines = model.declared.compactMap { property -> String? in
            let value = text(of: property)
            guard value != nil || unsent.contains(property.index) else { return nil }
            let mark = unsent.contains(property.index) ? " (unsent)" : ""
            return "  \(property.name) \(value ?? "= nil")\(mark)\n"
        }
        return "\(name)\n" + lines.joined()
    }

    /// `Issue 1`; `Issue (new)` for one without an identity.
    fileprivate var name: String {
        let identity = model.identity.map { index in
            let property = model[index]
            return linkedObject(property)?._object.name ?? storedValue(property).text
        }
        return "\(model.modelName) " + (hasIdentity ? identity.joined(separator: "/") : "(new)")
    }

    private func text(of property: Property) -> String? {
        switch property.kind {
        case .attribute: storedValue(property).isNull ? nil : "= " + storedValue(property).text
        case .toOne: linkedObject(property).map { "→ " + $0._object.name }
        case .toMany:
            listedObjects(property).isEmpty
                ? nil : "→ " + listedObjects(property).map { $0._object.name }.joined(separator: ", ")
        }
    }
}

extension StoredValue {
    fileprivate var text: String {
        switch self {
        case .null: "nil"
        case .integer(let value): "\(value)"
        case .real(let value): "\(value)"
        case .text(let text): text.debugDescription
        case .blob(let bytes): "\(bytes.count) bytes"
        }
    }
}
