import Foundation
import TestSupport
import Testing

/// The apps that are played.
enum PlayedApp: String, CaseIterable, Codable, Sendable, CustomTestStringConvertible {
    case todoList = "a todo list"
    case ownTodoList = "a todo list whose identities are made here"
    case cart = "a shopping cart"
    case board = "a board of cards"
    case tags = "notes and tags"
    case addressBook = "an address book and its forms"
    case outbox = "an outbox"
    case timeline = "a timeline"
    case undo = "notes with undo"
    case tree = "a tree of files"

    var testDescription: String { rawValue }

    /// The apps with the text of `PLAYED_ONLY` in their name; all if it is unset.
    static let chosen: [PlayedApp] = {
        let word = ProcessInfo.processInfo.environment["PLAYED_ONLY"] ?? ""
        return allCases.filter { word.isEmpty || $0.rawValue.contains(word) }
    }()

    @MainActor var play: any Playable {
        switch self {
        case .todoList: Play(TodoList<Todo>.self)
        case .ownTodoList: Play(TodoList<OwnTodo>.self)
        case .cart: Play(ShoppingCart.self)
        case .board: Play(CardBoard.self)
        case .tags: Play(TaggedNotes.self)
        case .addressBook: Play(AddressBook.self)
        case .outbox: Play(Outbox.self)
        case .timeline: Play(Timeline.self)
        case .undo: Play(UndoableNotes.self)
        case .tree: Play(FileTree.self)
        }
    }

    /// Plays seeds; called in a process of its own.
    ///
    /// - Returns: the failures; nil when there are none.
    @MainActor func failures(of seeds: [UInt64], _ report: ProcessReport) -> String? {
        let play = play
        let failures = seeds.compactMap { seed in
            report.write("\(rawValue), seed \(seed): the process ended")
            return play.failure(of: seed)
        }
        return failures.isEmpty ? nil : failures.joined(separator: "\n\n")
    }
}

/// The process that an app is played in.
enum PlayProcess {
    /// Runs `body` in ``OneThread``, writes its result, and ends the process.
    static func exit(_ report: ProcessReport, _ body: @MainActor @Sendable () -> String) async {
        report.keepErrors()
        await OneThread.exit {
            report.write(body())
            return true
        }
    }
}
