import HTTPTypes
import RestfulData
import RestfulDataTesting
import Testing

/// A list that a screen fetches page by page.
@MainActor @Suite struct PageListTests {
    private let held = HeldTransport()
    private let pages: PageList<Post>

    init() throws {
        let store = try Store.held(by: held)
        pages = PageList(Post.pages(size: 1, in: store.main))
    }

    private func page(_ id: Int, isLast: Bool = false) -> StubTransport.Reply {
        .json(
            #"[{"id": \#(id)}]"#,
            headerFields: isLast
                ? [:] : [.init("Link")!: #"<https://api.example.com/posts?page=\#(id + 1)>; rel="next""#])
    }

    /// Fetches, and answers the request with this number.
    private func load(
        _ number: Int, _ reply: StubTransport.Reply, by fetch: @escaping @MainActor () async -> Void
    ) async {
        let loading = Task { await fetch() }
        await held.wait(for: number + 1)
        #expect(pages.isLoading)
        held.answer(number, reply)
        await loading.value
        #expect(!pages.isLoading)
    }

    @Test func `A screen fetches page after page until the last one`() async {
        #expect(!pages.hasMore && !pages.isLoading && pages.page == nil)
        await pages.loadMore()
        await load(0, page(1)) { await pages.refresh() }
        #expect(pages.page?.objects.map(\.identifier) == [1] && pages.hasMore)
        await load(1, page(2, isLast: true)) { await pages.loadMore() }
        #expect(pages.page?.objects.map(\.identifier) == [2] && !pages.hasMore)
        await pages.loadMore()
        await load(2, page(1)) { await pages.refresh() }
        #expect(pages.page?.objects.map(\.identifier) == [1] && pages.hasMore)
    }

    @Test func `A page that fails stays to be fetched again`() async {
        await load(0, page(1)) { await pages.refresh() }
        await load(1, .status(500)) { await pages.loadMore() }
        #expect(pages.error?.reply?.status == 500 && pages.hasMore)
        await load(2, page(2, isLast: true)) { await pages.loadMore() }
        #expect(pages.error == nil && !pages.hasMore)
    }

    @Test func `A refresh wins over a further page that is in flight`() async {
        await load(0, page(1)) { await pages.refresh() }
        let more = Task { await pages.loadMore() }
        await held.wait(for: 2)
        let refresh = Task { await pages.refresh() }
        await held.wait(for: 3)
        held.answer(2, page(1))
        await refresh.value
        held.answer(1, page(2, isLast: true))
        await more.value
        #expect(pages.page?.objects.map(\.identifier) == [1] && pages.hasMore && !pages.isLoading)
    }

    @Test func `A cancelled fetch is no error`() async {
        let loading = Task { await pages.refresh() }
        loading.cancel()
        await loading.value
        #expect(pages.error == nil && !pages.isLoading)
    }
}
