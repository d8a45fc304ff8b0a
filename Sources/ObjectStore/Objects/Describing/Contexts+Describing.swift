extension ObjectContext: CustomDebugStringConvertible, CustomReflectable {
    /// The context in one line: the store's file, the context's actor, and how much is unsaved.
    public var debugDescription: String { "ObjectContext of \(path) (\(notes.joined(separator: ", ")))" }

    /// How much is unsaved.
    public var customMirror: Mirror { Mirror(self, children: ["unsavedObjects": unsavedCount]) }

    fileprivate var notes: [String] {
        let place = base != nil ? "draft" : handle.actor === MainActor.shared ? "main actor" : "background"
        let state = file.isClosed ? ["store closed"] : isEnded ? ["ended"] : []
        return [place] + state + ["\(unsavedCount) unsaved"]
    }

    /// Of a draft, objects with edits of its own.
    private var unsavedCount: Int {
        if isEnded { return unsavedAtClose.names.count }
        return ownUnsaved.inOrder.count { object in
            let state = object._object.current
            return state.hasOwnEdits || state.isDeleted && base?.isOwnDeletion(state) != false
        }
    }
}

extension Draft: CustomDebugStringConvertible {
    /// The draft in one line: the store's file, and how much is unsaved.
    public var debugDescription: String { "Draft of \(context.path) (\(context.notes.joined(separator: ", ")))" }
}

extension UndoHistory: CustomDebugStringConvertible {
    /// How much can be undone and redone, without observation.
    public var debugDescription: String { "UndoHistory (\(counts.undo) to undo, \(counts.redo) to redo)" }
}
