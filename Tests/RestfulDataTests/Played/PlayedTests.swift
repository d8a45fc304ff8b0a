import RestfulData
import TestSupport
import Testing

/// Whole apps, played by random steps against a service whose replies are late, lost or errors.
///
/// What is shown is looked at after each step, and what the server has at the end. `PLAYED_SEEDS` plays any number of
/// seeds, from `PLAYED_FIRST` on.
@MainActor @Suite(.serialized) struct PlayedTests {
    @Test func `A todo list`() async { await Play(TodoList<Todo>.self).run([0, 1, 2, 3, 4, 5, 6, 7]) }
    @Test func `A todo list whose identities are made here`() async {
        await Play(TodoList<OwnTodo>.self).run([0, 1, 2, 3, 4, 5, 6, 7])
    }
    @Test func `A shopping cart`() async { await Play(ShoppingCart.self).run([0, 1, 2, 4, 6, 20, 25, 56]) }
    @Test func `A board of cards`() async { await Play(CardBoard.self).run([0, 1, 2, 3, 4, 5, 6]) }
    @Test func `Notes and tags`() async { await Play(TaggedNotes.self).run([0, 1, 2, 3, 4, 5, 14, 24]) }
    @Test func `An address book and its forms`() async { await Play(AddressBook.self).run([0, 1, 2, 3, 4, 5, 6, 7]) }
    @Test func `An outbox`() async { await Play(Outbox.self).run([0, 1, 2, 3, 4, 5, 6, 7]) }
    @Test func `A timeline`() async { await Play(Timeline.self).run([0, 1, 2, 3, 4, 5, 6, 7]) }
    @Test func `Notes with undo`() async { await Play(UndoableNotes.self).run([0, 1, 2, 3, 4, 5, 6, 7]) }
    @Test func `A tree of files`() async { await Play(FileTree.self).run([0, 1, 2, 3, 4, 5, 6, 7]) }
}
