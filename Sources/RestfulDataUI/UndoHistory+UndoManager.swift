#if canImport(SwiftUI)
    public import RestfulData
    public import SwiftUI

    extension UndoHistory {
        /// Lets an undo manager undo and redo what is recorded from now on: by its menu items and gestures, named as
        /// the groups are.
        ///
        /// ```swift
        /// @Environment(\.undoManager) private var undoManager
        /// // …
        /// if let undoManager { history.register(with: undoManager) }
        /// ```
        ///
        /// Its groups are put on the manager's stack beside those of others, as they are begun. Undo by the manager
        /// alone then, as it does not hear of ``undo()`` and ``redo()``. What it has of a history that is gone does
        /// nothing.
        @MainActor public func register(with manager: UndoManager) {
            let registration = UndoRegistration(of: self)
            onGroup { [weak manager] in
                if let manager { registration.registerUndo(with: manager) }
            }
        }
    }

    /// What a manager has of a history, which it doesn't hold.
    @MainActor
    private final class UndoRegistration {
        private weak var history: UndoHistory?

        init(of history: UndoHistory) { self.history = history }

        func registerUndo(with manager: UndoManager) {
            manager.registerUndo(withTarget: manager) { manager in
                guard let history = self.history, history.undo() else { return }
                self.registerRedo(with: manager)
            }
            if let name = history?.undoName { manager.setActionName(name) }
        }

        private func registerRedo(with manager: UndoManager) {
            manager.registerUndo(withTarget: manager) { manager in
                guard let history = self.history, history.redo() else { return }
                self.registerUndo(with: manager)
            }
            if let name = history?.redoName { manager.setActionName(name) }
        }
    }
#endif
