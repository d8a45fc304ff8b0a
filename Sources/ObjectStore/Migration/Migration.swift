/// A step of a migration in code: for what the declarations can't say.
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
/// A file remembers the names of the steps that it has been through, and each runs once. It runs within the transaction
/// of the migration, after the columns have their new form and before duplicates are unified: what it throws leaves the
/// file as it was. In a new file nothing is run, and the name is noted. Where a store is opened without the models of
/// all its steps, it waits for one that is opened with them.
public struct Migration: Sendable {
    /// The name that the file remembers.
    public let name: String
    var rowSteps: [RowStep] = []
    var discarded: Set<String> = []

    /// A step that does nothing yet.
    public init(_ name: String) { self.name = name }

    /// Sets values in every row of a model that the file has.
    ///
    /// The new row begins with what the migration made of the old one. A value that does not convert is refused unless
    /// this step sets that property. The whole table is written anew, row by row: that of a model which others inherit
    /// from has their rows too, and is named by that one; what they declare is set as
    /// ``NewRow/subscript(_:_:)``.
    ///
    /// - Parameters:
    ///   - replaced: the old properties that this step takes over, by their old Swift names. When one was changed here
    ///     and the server has not confirmed it, what the step sets counts as changed instead, and is sent.
    ///   - body: gets the row as the file had it, and the new one. What it throws ends the migration.
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

    /// Lets go of what would be kept or refused: `"User.nickname"`, a property with changes that the server has not
    /// confirmed, or `"Draft"`, a model that is gone with all its rows. Of a model whose rows stay as something else,
    /// as those of a submodel that is one no more, it is what the server has not confirmed. The names are those of the
    /// earlier models.
    public func discarding(_ names: String...) -> Migration {
        var migration = self
        migration.discarded.formUnion(names)
        return migration
    }
}

/// A row as the file had it before a migration, by the old models' names.
public struct OldRow: Sendable {
    /// The old properties' values; a to-one link is the local key of a row.
    let values: [String: StoredValue]

    /// The value of an attribute by its old Swift name; `nil` when the row had no such attribute. In a file that no
    /// description was kept in, the names of properties that are gone are told from their columns: `full_name` is
    /// `fullName`.
    public subscript(_ name: String) -> StoredValue? { values[name] }

    /// The same as a Swift value; `nil` when it is null, or not of that type.
    public subscript<Value: AttributeValue>(_ name: String, as type: Value.Type) -> Value? {
        values[name].flatMap { $0.isNull ? nil : Value(stored: $0) }
    }
}

/// A row as a migration is about to write it.
@dynamicMemberLookup
public struct NewRow<M: Model> {
    private let model: ModelSchema
    var values: [PropertyIndex: StoredValue]
    /// The properties that were set.
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

    /// The value of an attribute that a model declares which inherits from this one: `new[PushEvent.self, \.size] = 3`.
    /// In a row of another class it is nothing.
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

/// What a migration does in code with each row of one model.
struct RowStep: Sendable {
    /// The migration's name.
    let migration: String
    let model: any Model.Type
    /// The old properties that the step takes over.
    let replaced: Set<String>
    /// Changes the values, by the new property, and returns which were set.
    let body: @Sendable (OldRow, ModelSchema, inout [PropertyIndex: StoredValue]) throws -> Set<PropertyIndex>
}

/// An error that a step in code threw.
struct MigrationFailure: Error {
    let migration: String
    let error: any Error
}
