import Conventions
import Foundation

// A description may be asked for at any time, also by a debugger and on any thread: it notes no read, merges nothing,
// and makes nobody wait for an actor.

extension ObjectState {
    /// What the object is called in words, in descriptions and errors: `Issue 102 "Crash"`, `new Issue "Crash"`. An
    /// object that is in no file, or has no identity, is new.
    package var displayName: String {
        let state = current
        return state.model.displayName(
            isNew: state.isInserted || !state.hasIdentity, identity: state.identityWords, title: state.title)
    }

    /// The values of the identity, as far as they are known here.
    private var identityWords: [String] {
        model.identity.flatMap { index -> [String] in
            let value = stored(index)
            guard let target = model.linkTarget(of: index) else { return value.isNull ? [] : [value.text] }
            guard let row = value.row else { return [] }
            return context?.loadedState(RecordID(table: target, row: row))?.identityWords ?? []
        }
    }

    private var title: String? {
        for attribute in model.titleAttributes {
            guard case .text(let text) = stored(attribute.index), !text.isEmpty else { continue }
            return RedactedURL.isSecret(value: text) ? nil : text
        }
        return nil
    }

    /// The object in one line: what it is called, and what of it is unsent, or edited and never sent.
    var summary: String {
        let state = current
        guard !state.isDeleted else { return "\(displayName) (deleted)" }
        let unsent = state.unsentNames
        let edited = state.changedProperties.filter { !unsent.contains($0) }
        let notes = [("unsent", unsent), ("edited", edited)].filter { !$0.1.isEmpty }
            .map { "\($0): \($1.joined(separator: ", "))" }
        return notes.isEmpty ? displayName : "\(displayName) (\(notes.joined(separator: "; ")))"
    }

    /// The names of ``unsentProperties``; where the file can't be looked at, of those that are edited here.
    private var unsentNames: [String] {
        if let context, context.mayGlance { return context.glancing { unsentProperties.map(\.name) } }
        return model.declared.filter { !$0.isNeverSent && (edits[$0.index] != nil || hasEditedList($0.index)) }
            .map(\.name)
    }
}

extension ObjectContext {
    /// The state of a row's live object, without a look at the file.
    func loadedState(_ record: RecordID) -> ObjectState? {
        maps.contains(record.table) ? maps[record.table].any(record.row)?._object.current : nil
    }

    /// Whether a description may read the file. It doesn't on another thread than the main actor's, where that is known
    /// to be the context's.
    var mayGlance: Bool { handle.actor !== MainActor.shared || Self.isOnMainActor }

    /// Whether this runs on the main thread or the main queue: once a program on Linux gives its main thread up, as
    /// `dispatch_main` does, any thread serves the queue.
    private static var isOnMainActor: Bool {
        if Thread.isMainThread { return true }
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        defer { DispatchQueue.main.setSpecific(key: key, value: nil) }
        return DispatchQueue.getSpecific(key: key) == true
    }

    /// Runs `body`, which reads the file's newest state unless a step has begun: nothing of it is merged, so that a
    /// description doesn't change what it describes.
    func glancing<Result>(_ body: () -> Result) -> Result {
        guard let reader, !isEnded, !reader.isReading, (try? reader.beginReading()) != nil else { return body() }
        defer { reader.endReading() }
        return body()
    }
}
