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
/// A file remembers the names of the steps that it has been through, and each runs once. It runs within the transaction of
/// the migration, after the columns have their new form and before duplicates become one: what it throws leaves the file as
/// it was. In a new file nothing is run, and the name is noted.
public struct Migration: Sendable {
    /// The name that the file remembers.
    public let name: String
    var rowSteps: [RowStep] = []
    var discarded: Set<String> = []

    /// A step that does nothing yet.
    public init(_ name: String) { self.name = name }

    /// Sets values in every row of a model that the file has.
    ///
    /// The new row begins with what the migration made of the old one. A value that does not convert is refused unless this
    /// step sets that property. The whole table is written anew, row by row.
    ///
    /// - Parameters:
    ///   - replaced: the old properties that this step takes over, by their old Swift names. Where one was changed here and
    ///     the server has not confirmed it, what the step sets counts as changed instead, and is sent.
    ///   - body: gets the row as the file had it, and the new one. What it throws ends the migration.
    public func rows<M: Model>(
        of model: M.Type, replacing replaced: String...,
        apply body: @escaping @Sendable (_ old: OldRow, _ new: inout NewRow<M>) throws -> Void
    ) -> Migration {
        var migration = self
        migration.rowSteps.append(
            RowStep(migration: name, model: model, replaced: Set(replaced)) { old, values in
                var new = NewRow<M>(values: values)
                try body(old, &new)
                values = new.values
                return new.changed
            })
        return migration
    }

    /// Lets go of what would be kept or refused: `"User.nickname"`, a property with changes that the server has not confirmed,
    /// or `"Draft"`, a model that is gone with all its rows. The names are those of the earlier models.
    public func discarding(_ names: String...) -> Migration {
        var migration = self
        migration.discarded.formUnion(names)
        return migration
    }
}

/// What a migration does in code with each row of one model.
struct RowStep: Sendable {
    /// The migration's name.
    let migration: String
    let model: any Model.Type
    /// The old properties that the step takes over.
    let replaced: Set<String>
    /// Changes the values, by the new property's index, and says which were set.
    let body: @Sendable (OldRow, inout [Int: StoredValue]) throws -> Set<Int>
}
