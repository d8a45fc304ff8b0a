/// A step of a migration in code, for changes that declarations can't express.
///
/// ```swift
/// let splitNames = Migration("split names")
///     .rows(of: User.self, replacing: "fullName") { old, new in
///         let words = (old["fullName", as: String.self] ?? "").split(separator: " ")
///         new.firstName = String(words.first ?? "")
///         new.lastName = String(words.dropFirst().joined(separator: " "))
///     }
/// ```
///
/// A step runs once in each file, which remembers its name, within the migration's transaction, after columns were
/// converted and before duplicates are unified. An error leaves the file unchanged. In a new file, the step is only
/// recorded. Until a store is opened with all of its models, the step waits.
public struct Migration: Sendable {
    /// The name that the file remembers.
    public let name: String
    var rowSteps: [RowStep] = []
    var discarded: Set<String> = []

    /// Creates a step without effect.
    public init(_ name: String) { self.name = name }

    /// Sets values in every existing row of a model.
    ///
    /// The new row begins with the converted values of the old one. A value that fails to convert ends the migration,
    /// unless this step sets its property. The step rewrites the whole table. For submodels, pass the parent, and set
    /// their own properties with ``NewRow/subscript(_:_:)``.
    ///
    /// - Parameters:
    ///   - replaced: the Swift names of old properties. If one has a pending edit, the values that you set become
    ///     pending edits instead, and are sent.
    ///   - body: receives the row in the file, and the new row. An error ends the migration.
    public func rows<M: Model>(
        of model: M.Type, replacing replaced: String...,
        apply body: @escaping @Sendable (_ old: OldRow, _ new: inout NewRow<M>) throws -> Void
    ) -> Migration {
        var migration = self
        migration.rowSteps.append(
            RowStep(migration: name, model: model, replaced: Set(replaced)) { old, model, values in
                var new = NewRow<M>(model: model, values: values)
                try body(old, &new)
                values = new.values
                return new.changed
            })
        return migration
    }

    /// Discards data that the migration would keep, or refuse to lose.
    ///
    /// - Parameter names: names of the earlier models. `"User.nickname"` discards pending edits of a removed property.
    ///   `"Draft"` discards a removed model with its rows, or, if these remain, as of a former submodel, their pending
    ///   edits.
    public func discarding(_ names: String...) -> Migration {
        var migration = self
        migration.discarded.formUnion(names)
        return migration
    }
}

/// A row before a migration, with the names of the old models.
public struct OldRow: Sendable {
    /// A to-one link is the number of a row in the file.
    let values: [String: StoredValue]

    /// An attribute's value by its old Swift name; nil if there is none. In files without a description of their
    /// models, removed properties have the names of their columns: `fullName` for `full_name`.
    public subscript(_ name: String) -> StoredValue? { values[name] }

    /// An attribute's Swift value; nil if it is null or of another type.
    public subscript<Value: AttributeValue>(_ name: String, as type: Value.Type) -> Value? {
        values[name].flatMap { $0.isNull ? nil : Value(stored: $0) }
    }
}

/// A row that a migration is about to write.
@dynamicMemberLookup
public struct NewRow<M: Model> {
    private let model: ModelSchema
    var values: [PropertyIndex: StoredValue]
    var changed: Set<PropertyIndex> = []

    init(model: ModelSchema, values: [PropertyIndex: StoredValue]) { (self.model, self.values) = (model, values) }

    /// The value of an attribute: `new.firstName = "Ada"`.
    public subscript<Value>(dynamicMember path: KeyPath<M.Properties, Attribute<M, Value>>) -> Value {
        get {
            let attribute = M.properties[keyPath: path]
            return attribute.decode(values[attribute.index] ?? .null)
        }
        set {
            let attribute = M.properties[keyPath: path]
            values[attribute.index] = attribute.encode(newValue)
            changed.insert(attribute.index)
        }
    }

    /// The value of a submodel's attribute: `new[PushEvent.self, \.size] = 3`. In a row of another class, setting it
    /// has no effect.
    public subscript<S: Submodel, Value>(
        _ submodel: S.Type, _ path: KeyPath<S.OwnProperties, Attribute<S, Value>>
    ) -> Value {
        get {
            let attribute = S.ownProperties[keyPath: path]
            return attribute.decode(model.index(of: attribute.description).flatMap { values[$0] } ?? .null)
        }
        set {
            let attribute = S.ownProperties[keyPath: path]
            guard let index = model.index(of: attribute.description) else { return }
            values[index] = attribute.encode(newValue)
            changed.insert(index)
        }
    }
}

struct RowStep: Sendable {
    /// The migration's name.
    let migration: String
    let model: any Model.Type
    let replaced: Set<String>
    /// Returns the properties that it has set.
    let body: @Sendable (OldRow, ModelSchema, inout [PropertyIndex: StoredValue]) throws -> Set<PropertyIndex>
}

struct MigrationFailure: Error {
    let migration: String
    let error: any Error
}
