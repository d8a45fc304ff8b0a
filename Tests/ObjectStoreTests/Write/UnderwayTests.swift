import Testing

@testable import ObjectStore

@Suite struct UnderwayTests {
    private let underway = Underway()
    private let order = RecordID(table: TableID(0), row: RowID(1))
    private let item = RecordID(table: TableID(1), row: RowID(1))

    /// Else what is tried again for days would grow with the tries.
    @Test func `What an element goes out as again and again is kept once, the last one last`() {
        for name in ["a", "b", "a", "b", "a"] {
            underway.noteSent([(item, [.text(name)])], within: order)
        }
        #expect(underway.sentValues(of: item) == [[.text("b")], [.text("a")]])
    }
}
