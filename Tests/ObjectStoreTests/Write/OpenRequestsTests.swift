import Testing

@testable import ObjectStore

@Suite struct OpenRequestsTests {
    private let order = RecordID(table: TableID(0), row: RowID(1))
    private let item = RecordID(table: TableID(1), row: RowID(1))
    private let labels = PropertyIndex(1)
    private let items = PropertyIndex(2)
    private let link = PropertyIndex(3)

    private func fact(_ property: PropertyIndex, _ record: RecordID) -> SentFact {
        SentFact(.relationship(property), of: record)
    }

    /// The request that sends a many-to-many list, with an edit of one membership or of none.
    private func scope(of list: SentFact, editing member: SentFact?) -> RequestScope {
        RequestScope(list.record, sending: [list], editing: Set([list, member].compactMap(\.self)))
    }

    @Test(arguments: [true, false], [true, false])
    func `A request waits for the other side of a list if either edits the membership`(first: Bool, second: Bool) async
    {
        let requests = OpenRequests()
        let (ofOrder, ofItem) = (fact(labels, order), fact(items, item))
        let open = requests.begin(scope(of: ofOrder, editing: first ? ofItem : nil))
        let other = scope(of: ofItem, editing: second ? ofOrder : nil)
        #expect((requests.begin(other) == nil) == (first || second))
        open?.end()
        #expect(requests.begin(other) != nil)
    }

    @Test func `Two requests may add different members to one list, but not edit one link`() {
        let requests = OpenRequests()
        let (list, first) = (fact(labels, order), fact(link, item))
        let second = fact(link, RecordID(table: item.table, row: RowID(2)))
        func creation(_ link: SentFact) -> RequestScope {
            RequestScope(link.record, sending: [link], editing: [link, list], links: [link], naming: [order])
        }
        let open = requests.begin(creation(first))
        #expect(requests.begin(creation(second)) != nil)
        #expect(requests.begin(RequestScope(order, editing: [list, first], links: [first])) == nil)
        withExtendedLifetime(open) {}
    }

    @Test(arguments: [true, false])
    func `A request that creates, deletes or renames an object waits for those that name it, and these wait for it`(
        isFirst: Bool
    ) {
        let requests = OpenRequests()
        let scopes = [RequestScope(item, changesSubject: true), RequestScope(order, naming: [item])]
        let (first, second) = isFirst ? (scopes[0], scopes[1]) : (scopes[1], scopes[0])
        let open = requests.begin(first)
        #expect(open != nil && requests.begin(second) == nil)
        open?.end()
        #expect(requests.begin(second) != nil)
    }

    @Test(arguments: [true, false], [true, false])
    func `A request about all objects of a model and one about an object wait for each other`(
        isFirst: Bool, deletes: Bool
    ) {
        let requests = OpenRequests()
        let (all, one) = (RequestScope(ofAll: item.table, deletes: deletes), RequestScope(item))
        let open = requests.begin(isFirst ? all : one)
        #expect(open != nil && requests.begin(isFirst ? one : all) == nil)
        #expect(requests.begin(RequestScope(order)) != nil)
        open?.end()
        #expect(requests.begin(isFirst ? one : all) != nil)
    }

    @Test(arguments: [true, false])
    func `A request that names an object waits for the deletion of its whole model`(deletes: Bool) {
        let requests = OpenRequests()
        let open = requests.begin(RequestScope(ofAll: item.table, deletes: deletes))
        #expect((requests.begin(RequestScope(order, naming: [item])) == nil) == deletes)
        open?.end()
        let naming = requests.begin(RequestScope(order, naming: [item]))
        #expect((requests.begin(RequestScope(ofAll: item.table, deletes: deletes)) == nil) == deletes)
        withExtendedLifetime(naming) {}
    }

    @Test func `A cancelled task stops waiting for a request in flight`() async {
        let requests = OpenRequests()
        let scope = RequestScope(item, changesSubject: true)
        let open = requests.begin(scope)
        let waiting = Task { await requests.waitForOthers(of: scope) }
        waiting.cancel()
        #expect(await waiting.value)
        #expect(requests.begin(scope) == nil && open != nil)
    }

    @Test func `A request that is released without an end no longer holds others up`() async {
        let requests = OpenRequests()
        let scope = RequestScope(item, changesSubject: true)
        var open = requests.begin(scope)
        #expect(requests.begin(scope) == nil && open != nil)
        open = nil
        #expect(await requests.waitForOthers(of: scope) == false)
        #expect(requests.begin(scope) != nil)
    }
}
