import Conventions
import Foundation

// Debuggers may read descriptions at any time, on any thread. So descriptions are hidden from observation, leave
// commits unmerged, and run at once.

extension ObjectState {
    /// `Issue 102 "Crash"`, `new Issue "Crash"`. An object that lacks a row or an identity is new.
    package var displayName: String {
        let state = current
        return state.model.displayName(
            isNew: state.isInserted || !state.hasIdentity, identity: state.identityWords, title: state.title)
    }

    private var identityWords: [String] {
        model.identity.flatMap { index -> [String] in
            guard let target = model.linkTarget(of: index) else { return identityWord(model[index]).map { [$0] } ?? [] }
            guard let row = stored(index).row else { return [] }
            return context?.loadedState(RecordID(table: target, row: row))?.identityWords ?? []
        }
    }

    /// Leaves out well-known tokens and secrets in URLs.
    private func identityWord(_ property: Property) -> String? {
        let value = stored(property.index)
        guard case .text(let text) = value else { return value.isNull ? nil : value.text }
        if RedactedURL.isSecret(value: text) { return "REDACTED" }
        guard case .attribute(.url, _, _) = property.kind else { return text }
        return RedactedURL.text(of: text)
    }

    private var title: String? {
        for attribute in model.titleAttributes {
            guard case .text(let text) = stored(attribute.index), !text.isEmpty else { continue }
            return RedactedURL.isSecret(value: text) ? nil : text
        }
        return nil
    }

    /// The name, the unsent properties, and other edited ones, in one line.
    var summary: String {
        let state = current
        guard !state.isDeleted else { return "\(displayName) (deleted)" }
        let unsent = state.unsentNames
        let edited = state.changedProperties.filter { !unsent.contains($0) }
        let notes = [("unsent", unsent), ("edited", edited)].filter { !$0.1.isEmpty }
            .map { "\($0): \($1.joined(separator: ", "))" }
        return notes.isEmpty ? displayName : "\(displayName) (\(notes.joined(separator: "; ")))"
    }

    /// If the file is unreadable, only unsaved edits count.
    private var unsentNames: [String] {
        if let context, context.mayGlance { return context.glancing { unsentProperties.map(\.name) } }
        return model.declared.filter { !$0.isNeverSent && (edits[$0.index] != nil || hasEditedList($0.index)) }
            .map(\.name)
    }
}

extension ObjectContext {
    /// Leaves the file alone.
    func loadedState(_ record: RecordID) -> ObjectState? {
        maps.contains(record.table) ? maps[record.table].any(record.row)?._object.current : nil
    }

    /// In a context of the main actor, only that actor may read the file.
    var mayGlance: Bool { handle.actor !== MainActor.shared || Self.isOnMainActor }

    /// Includes the main queue. If a program on Linux calls `dispatch_main`, any thread may serve that.
    private static var isOnMainActor: Bool {
        if Thread.isMainThread { return true }
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        defer { DispatchQueue.main.setSpecific(key: key, value: nil) }
        return DispatchQueue.getSpecific(key: key) == true
    }

    /// Runs `body`, which reads the file's newest state, or the current step's. Commits stay unmerged.
    func glancing<Result>(_ body: () -> Result) -> Result {
        guard let reader, !isEnded, !reader.isReading, (try? reader.beginReading()) != nil else { return body() }
        defer { reader.endReading() }
        return body()
    }
}
