import Conventions
public import JSONBytes

/// An error of a store, its file, its models or an import.
public enum StoreError: Error, Sendable {
    /// The declarations contradict each other; all problems are listed.
    case models([String])
    /// The store's API can't be used. The text describes the problem and is free of secrets.
    case api(String)
    /// The file can't be opened, read or written.
    case file(FileProblem, path: String)
    /// Another object has the same identity, given as text by property name; a relationship as its target's.
    case duplicateIdentity(model: String, identity: [String: String])
    /// A relationship's delete rule denies the deletion: `count` objects are still referenced. The identity omits parts
    /// that are nil.
    case deleteDenied(model: String, identity: [String: String], relationship: String, count: Int)
    /// Two relationships reference the same embedded object.
    case sharedObject(model: String)
    /// The operation is only possible for the owner of an embedded object.
    case embeddedObject(model: String)
    /// A trigger or index, added to the file by other programs, rejects the write: SQLite's message.
    case constraint(String)
    /// A property was set to a `value` that JSON can't represent: NaN, or a `Codable` value that can't be encoded.
    case unsendable(model: String, property: String, value: String)
    /// A property was edited that is declared `.readOnly`, or `.createOnly` in an object that the server knows. The
    /// value stays.
    case readOnlyProperty(model: String, property: String)
    /// A list was set to an array that contains an object twice, or a member was added again. The list is unchanged.
    case repeatedMember(model: String, property: String)
    /// The errors of the objects' own ``Model/validate()``. Nothing was written or sent, and the edits stay.
    case validation([ValidationError])
    /// The bytes aren't JSON.
    case json(JSONError)
    /// The body, or an element of an all-or-nothing import, was rejected.
    case rejected(ImportReport)
    /// A lookup with `given` values for an identity with these parts, by Swift name.
    case wrongIdentity(model: String, parts: [String], given: Int)
    /// A query exceeds a limit of SQLite, such as "32766 values": https://sqlite.org/limits.html.
    case oversizedQuery(model: String, limit: String)
    /// A search of a model without an `@Attribute(searchable: true)`.
    case notSearchable(model: String)
    /// A query without a result, and the reason: a sum that its type can't represent, or SQL that SQLite rejects.
    case unanswerable(model: String, reason: String)
    /// An operation on a deleted object.
    case deletedObject(model: String)
    /// Objects of these models were released with their store and their unsaved edits.
    case lostEdits(models: [String])
    /// `Store.close()` closed the store. Nothing was read, written or sent. A save lists its context's objects with
    /// unsaved edits, also later ones: `Issue 102 "Crash"`.
    case closedStore(unsaved: [String])
    /// An operation on an object whose context has ended.
    case endedContext
    /// An asynchronous function outside the context's actor used the context, which the compiler rejects in the Swift 6
    /// language mode. Nothing was sent or written.
    case otherActor
    /// An object of another context was passed.
    case foreignObject(model: String)
    /// The object's discriminator has changed, and its new model, `now`, lacks the edited property.
    case changedModel(property: String, now: String)
    /// An import took longer than its request allows.
    case timedOut
    case cancelled
    /// Several errors of one save. Nothing was written or sent, unless all of them are ``deletedObject(model:)``.
    case several([StoreError])

    /// A problem with a store's file.
    public enum FileProblem: Sendable, Hashable {
        case notADatabase
        case cannotOpen(String)
        /// This process or the system has reached its limit of open files. Nothing was written.
        case tooManyOpenFiles
        /// The path is empty, contains a NUL, or has a special meaning for SQLite; the text is the reason. Nothing was
        /// created.
        case unusablePath(String)
        case readOnly
        case full
        case busy
        case damaged(String)
        /// The open file was deleted or replaced. Nothing was written, and edits stay.
        case gone
        case newerVersion(Int)
        /// The file belongs to other models and can't be migrated to these without a loss of data, for all these
        /// reasons.
        case modelsChanged([String])
        /// Another store of this process has the file open with other models, another order of them, or other
        /// conventions.
        case openWithOtherModels
        /// Another process has migrated the open file to other models. Nothing was written, and edits stay.
        case migratedElsewhere
        /// A migration step in code threw an error: the step's name and the error. The file is unchanged.
        case migrationFailed(String, String)
        case other(code: Int32, String)
    }
}

extension StoreError: CustomStringConvertible {
    /// The error as a message for developers.
    public var description: String {
        switch self {
        case .models(let problems):
            "The models contradict each other:\n" + problems.map { "  - \($0)" }.joined(separator: "\n")
        case .api(let problem): "The API can't be used: \(problem)."
        case .file(let problem, let path):
            "The store \(path.isEmpty ? "\"\"" : path.replacing("\0", with: "\\0")) \(problem)."
        case .duplicateIdentity(let model, let identity):
            "There is \(withArticle(model)) with \(Self.text(identity)) already. Nothing was written; give this one another identity, or "
                + "delete it and edit the one that is there, and save again."
        case .deleteDenied(let model, let identity, let relationship, let count):
            "\(Self.subject(model, identity)) can't be deleted while its \(relationship) leads to \(count) "
                + "\(count == 1 ? "object" : "objects"). Nothing was written; delete or unlink those first, or roll back."
        case .sharedObject(let model):
            "\(model) is embedded and has one owner, but two relationships lead to one. Nothing was written; make another "
                + "\(model) for one of them."
        case .embeddedObject(let model):
            "\(model) is embedded: it comes and goes with the object that leads to it. Import, fetch or send that."
        case .constraint(let message):
            "The store refuses the write: \(message). Nothing was written; mend the object and save again."
        case .unsendable(let model, let property, let value):
            "\(model).\(property) is \(value), which JSON can't express. Nothing was written; set another and save again."
        case .readOnlyProperty(let model, let property):
            "\(model).\(property) is set by the server alone, so the edit was not made. Nothing was written or sent; save again for "
                + "the other edits."
        case .repeatedMember(let model, let property):
            "\(model).\(property) was given a member twice, and a list has each member once, so the edit was not made. Nothing was "
                + "written or sent; set it with each member once, and save again for the other edits."
        case .validation(let errors):
            "Nothing was written or sent: " + errors.map(\.description).joined(separator: "\n")
        case .json(let error):
            "The body can't be imported: \(error)"
        case .rejected(let report):
            "Nothing was imported, as not all of it could be: \(report.summaryOfLeftOut)"
        case .wrongIdentity(let model, let parts, let given):
            """
            \(model) is found by \(parts.joined(separator: " and ")): \(parts.count) \
            \(parts.count == 1 ? "value" : "values"), where \(given) \(given == 1 ? "was" : "were") given.
            """
        case .oversizedQuery(let model, let limit):
            "A query for \(model) has more than \(limit) in its conditions, which is as much as SQLite takes. Ask in parts, or "
                + "give many values of one attribute to isAmong."
        case .notSearchable(let model):
            "No attribute of \(model) is searchable; declare those whose text is to be found @Attribute(searchable: true)."
        case .unanswerable(let model, let reason):
            "A query for \(model) can't be answered: \(reason)."
        case .deletedObject(let model):
            "This \(model) is deleted. It keeps its last values, but can't be sent, fetched or linked."
        case .lostEdits(let models):
            "The store was let go of, and with it unsaved edits of objects that nobody else held: "
                + models.joined(separator: ", ")
                + ". Keep the store until they are saved. Save again for the other edits."
        case .closedStore(let unsaved):
            "The store was closed, so nothing was read, written or sent. Open a store on the same file to go on."
                + (unsaved.isEmpty ? "" : " These objects have unsaved edits: \(Self.listed(unsaved)).")
        case .endedContext:
            "The object's context has ended; fetch the object in a context that is still there."
        case .otherActor:
            "The context is used by a function that does not run on the context's actor; mark the function "
                + "nonisolated(nonsending), or @MainActor for the main context. Nothing was sent or written."
        case .foreignObject(let model):
            "This \(model) lives in another context; fetch it here by its identity first."
        case .changedModel(let property, let model):
            "The object is \(withArticle(model)) by now, which has no \"\(property)\"; find it anew, or set its discriminator back."
        case .timedOut:
            "The import took longer than the request may; nothing was written. Allow more time, or ask for less at once."
        case .cancelled:
            "The task was cancelled; nothing was written."
        case .several(let errors):
            "There are \(errors.count) problems:\n" + errors.map { "  - \($0)" }.joined(separator: "\n")
        }
    }
}

extension StoreError {
    /// `nil` for an empty array. Validation errors are merged into one.
    package init?(all errors: [StoreError]) {
        let invalid = errors.flatMap(\.ownValidationErrors)
        let others = errors.filter { $0.ownValidationErrors.isEmpty }
        let all = others + (invalid.isEmpty ? [] : [.validation(invalid)])
        guard let first = all.first else { return nil }
        self = all.count == 1 ? first : .several(all)
    }

    private var ownValidationErrors: [ValidationError] { if case .validation(let errors) = self { errors } else { [] } }

    package var validationErrors: [ValidationError] {
        if case .several(let errors) = self { return errors.flatMap(\.validationErrors) }
        return ownValidationErrors
    }

    /// The messages of ``Model/validate()`` about properties, by Swift name, of all objects. Empty for other errors.
    public var fields: [String: [String]] {
        validationErrors.reduce(into: [:]) { fields, error in fields.merge(error.fields) { $0 + $1 } }
    }

    private static func listed(_ names: [String]) -> String {
        let limit = 10
        let rest = names.count > limit ? ", and \(names.count - limit) more" : ""
        return names.prefix(limit).joined(separator: ", ") + rest
    }

    private static func subject(_ model: String, _ identity: [String: String]) -> String {
        identity.isEmpty ? "A new \(model)" : "The \(model) with \(text(identity))"
    }

    private static func text(_ identity: [String: String]) -> String {
        let parts = identity.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        return parts.isEmpty ? "no identity" : parts.joined(separator: ", ")
    }
}

extension StoreError.FileProblem: CustomStringConvertible {
    /// The problem in words, for the error's message.
    public var description: String {
        switch self {
        case .notADatabase: "is not an SQLite database; name another file, or move this one away"
        case .cannotOpen(let message): "can't be opened (\(message)); check that its folder exists and may be written"
        case .tooManyOpenFiles:
            "can't be opened, as the process has as many files and connections open as it may. Nothing was written; close some, or "
                + "raise the limit (ulimit -n)"
        case .unusablePath(let why): "has a path that names no file (\(why))"
        case .readOnly: "can't be written; check the permissions of the file and its folder"
        case .full: "can't grow: the disk is full. Nothing of this write was kept"
        case .busy: "is locked by another process that did not finish in time; try again"
        case .damaged(let message): "is damaged (\(message)); restore it from a copy"
        case .gone:
            "was deleted or replaced while it was open. Nothing was written and edits stay; put the file back, or open a store "
                + "anew"
        case .newerVersion(let version): "was written by a newer version of this library (format \(version))"
        case .modelsChanged(let reasons):
            "was made by other models and can't follow without a loss; nothing was changed:\n"
                + reasons.map { "  - \($0)" }.joined(separator: "\n")
        case .openWithOtherModels:
            "is open in this process with other models, another order of them or other conventions; open it with the same, or "
                + "close the other store first"
        case .migratedElsewhere:
            "was brought to other models by another process while it was open. Nothing was written and edits stay; open a store "
                + "anew, with those models"
        case .migrationFailed(let name, let message):
            "could not be migrated, and is as it was: the step \"\(name)\" failed: \(message)"
        case .other(let code, let message): "gave SQLite's error \(code): \(message)"
        }
    }
}
