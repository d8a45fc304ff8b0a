#if canImport(SwiftUI)
    public import RestfulData
    public import SwiftUI

    extension UndoHistory {
        /// Registers the groups recorded from now on with an undo manager, whose menu items and gestures then undo and
        /// redo them by name.
        ///
        /// ```swift
        /// @Environment(\.undoManager) private var undoManager
        /// // …
        /// if let undoManager { history.register(with: undoManager) }
        /// ```
        ///
        /// A group joins the manager's stack when it begins. From then on, undo and redo with the manager only:
        /// ``undo()`` and ``redo()`` leave its stack unchanged. Actions of a deallocated history have no effect.
        @MainActor public func register(with manager: UndoManager) {
            let registration = UndoRegistration(of: self)
            onGroup { [weak manager] in
                if let manager { registration.registerUndo(with: manager) }
            }
        }
    }

    /// Connects a manager's actions to a history, which it references weakly.
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
