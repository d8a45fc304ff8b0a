import Conventions
public import JSONBytes

/// What went wrong with a store, its file, its models or an import.
///
/// ```
/// StoreError
/// ├ models(problems)           the declarations contradict each other; all problems are listed
/// ├ api(problem)               the API that the store is opened with can't be used
/// ├ file(problem, path)        the file isn't a database, can't be opened, written, is full, damaged, gone, too new, or open
/// │                            with other models; or too many files are open
/// ├ duplicateIdentity(model, identity)      a second object with an identity that another has
/// ├ deleteDenied(model, identity, relationship, count)   a relationship keeps its object from being deleted
/// ├ sharedObject(model)        an embedded object in two places
/// ├ embeddedObject(model)      an operation that embedded objects have only together with their owner
/// ├ constraint(message)        what else the file refuses: a trigger or an index that was added to it by other means
/// ├ unsendable(…)              an edit that JSON can't express (NaN, a Codable value that can't be encoded)
/// ├ readOnlyProperty(…)        an edit of what only the server sets
/// ├ repeatedMember(…)          a list was set to members of which one is there twice
/// ├ validation(errors)         objects are wrong by rules of their own
/// ├ json(error)                the bytes are not JSON
/// ├ rejected(report)           all-or-nothing import with a rejected element
/// ├ wrongIdentity(model, …)    a lookup with another number of values than the identity has parts
/// ├ oversizedQuery(model, limit) a query with more conditions, or deeper ones, than SQLite takes
/// ├ notSearchable(model)       a search of a model none of whose attributes is searchable
/// ├ unanswerable(model, reason) a question that has no answer: a sum beyond its type, SQL that is none
/// ├ deletedObject(model)       an operation on an object that is deleted
/// ├ lostEdits(models)          the store was let go of, and unsaved objects with it
/// ├ closedStore(unsaved)       an operation on a store that was closed, or on an object of it
/// ├ endedContext               an operation on an object whose context has ended
/// ├ otherActor                 a context was used by a function that does not run on its actor
/// ├ foreignObject(model)       an object of another context was given
/// ├ changedModel(property, now) the object's discriminator has changed, and its new model has no such property
/// ├ timedOut                   an import lasted longer than its request may
/// ├ cancelled
/// └ several(errors)            a save has several of these to report
/// ```
public enum StoreError: Error, Sendable {
    case models([String])
    /// Why the API can't be used; without secrets.
    case api(String)
    case file(FileProblem, path: String)
    /// By property name, as text; a relationship by the identity of what it leads to.
    case duplicateIdentity(model: String, identity: [String: String])
    /// How many objects the relationship still leads to. The identity has no parts that are nil.
    case deleteDenied(model: String, identity: [String: String], relationship: String, count: Int)
    case sharedObject(model: String)
    case embeddedObject(model: String)
    case constraint(String)
    /// `property` of a `model` was set to a `value` for which JSON has no word.
    case unsendable(model: String, property: String, value: String)
    /// `property` of a `model` was edited, which is declared `.readOnly`, or `.createOnly` and the server knows the
    /// object: it would never be sent. It is what it was.
    case readOnlyProperty(model: String, property: String)
    /// `property` of a `model` was set to a list with a member in it more than once, or a member was added that was in
    /// it already. The store keeps each member of a list once. The list is what it was.
    case repeatedMember(model: String, property: String)
    /// What is wrong with each object by its own ``Model/validate()``. Nothing was written or sent, and the edits stay.
    case validation([ValidationError])
    case json(JSONError)
    case rejected(ImportReport)
    /// A lookup with `given` values for an identity of these parts, by Swift name.
    case wrongIdentity(model: String, parts: [String], given: Int)
    /// A query with more than SQLite takes of something, such as "32766 values": https://sqlite.org/limits.html.
    case oversizedQuery(model: String, limit: String)
    /// A search of a model without a `@Attribute(searchable: true)`.
    case notSearchable(model: String)
    /// A question that has no answer, and why: a sum that its type has no number for, SQL that SQLite doesn't take.
    case unanswerable(model: String, reason: String)
    case deletedObject(model: String)
    /// Objects with unsaved edits that nobody held any more after their store: the model of each.
    case lostEdits(models: [String])
    /// The store was closed by `Store.close()`. Nothing was read, written or sent. A save names the objects of its
    /// context whose edits were unsaved when the store was closed, or were made afterwards: `Issue 102 "Crash"`.
    case closedStore(unsaved: [String])
    case endedContext
    /// A context was used by an asynchronous function that does not run on the context's actor. Nothing was sent or
    /// written. The compiler refuses such calls in the Swift 6 language mode.
    case otherActor
    case foreignObject(model: String)
    case changedModel(property: String, now: String)
    case timedOut
    case cancelled
    /// Several problems of one save, each of which may concern other objects. Nothing was written or sent, unless all
    /// of them are ``deletedObject(model:)``.
    case several([StoreError])

    /// What is wrong with a store's file.
    public enum FileProblem: Sendable, Hashable {
        case notADatabase
        case cannotOpen(String)
        /// The file can't be opened, as this process, or the system, has as many files open as it may. Nothing was
        /// written.
        case tooManyOpenFiles
        /// The path names no file, and why: it is empty, has a NUL, or is what SQLite alone understands. Nothing was
        /// made.
        case unusablePath(String)
        case readOnly
        case full
        case busy
        case damaged(String)
        /// The file was deleted, or another was put in its place, while it was open. Nothing was written, and edits
        /// stay.
        case gone
        case newerVersion(Int)
        /// The file was made by models that these can't take over without losing something; each reason.
        case modelsChanged([String])
        /// Another store of this process has the file open, with other models, another order of them or other
        /// conventions.
        case openWithOtherModels
        /// Another process has brought the file to other models while it was open. Nothing was written, and edits stay.
        case migratedElsewhere
        /// A step of a migration in code threw: its name and what it said. The file is as it was.
        case migrationFailed(String, String)
        case other(code: Int32, String)
    }
}

extension StoreError: CustomStringConvertible {
    /// The same in words.
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
    /// One error for all that a call has to report; `nil` for none. What objects' own rules say is put together.
    package init?(all errors: [StoreError]) {
        let invalid = errors.flatMap(\.ownValidationErrors)
        let others = errors.filter { $0.ownValidationErrors.isEmpty }
        let all = others + (invalid.isEmpty ? [] : [.validation(invalid)])
        guard let first = all.first else { return nil }
        self = all.count == 1 ? first : .several(all)
    }

    private var ownValidationErrors: [ValidationError] { if case .validation(let errors) = self { errors } else { [] } }

    /// What objects' own rules say is wrong, also among several errors.
    package var validationErrors: [ValidationError] {
        if case .several(let errors) = self { return errors.flatMap(\.validationErrors) }
        return ownValidationErrors
    }

    /// The first few of many names.
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
    /// The same in words.
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
