struct Page: Sendable {
    let number: Int
    /// At most 100; by default 30.
    let size: Int

    init(_ query: Query) {
        number = query["page"].flatMap(Int.init).flatMap { $0 > 0 ? min($0, 1_000_000) : nil } ?? 1
        size = query["per_page"].flatMap(Int.init).flatMap { $0 > 0 ? min($0, 100) : nil } ?? 30
    }

    func slice<Element>(of list: [Element]) -> ArraySlice<Element> {
        list.dropFirst((number - 1) * size).prefix(size)
    }

    /// In GitHub's order; nil where everything is on one page.
    func link(to url: String, _ query: Query, count: Int) -> String? {
        let last = max(1, (count + size - 1) / size)
        var links: [(page: Int, relation: String)] = []
        if number > 1 { links.append((min(number - 1, last), "prev")) }
        if number < last { links += [(number + 1, "next"), (last, "last")] }
        if number > 1 { links.append((1, "first")) }
        guard !links.isEmpty, count > 0 else { return nil }
        return links.map { "<\(url)?\(query.text(page: $0.page))>; rel=\"\($0.relation)\"" }.joined(separator: ", ")
    }
}

extension Reply {
    /// - Parameter path: where the other pages are, such as `/repositories/1296269/issues`.
    static func page<Element>(
        of list: [Element], at path: String, _ call: Call, shape: (Element) -> JSON
    ) -> Reply {
        let page = Page(call.query)
        var reply = Reply.ok(.array(page.slice(of: list).map(shape)))
        reply.addLink(page, to: path, call, count: list.count)
        return reply
    }

    mutating func addLink(_ page: Page, to path: String, _ call: Call, count: Int) {
        guard let link = page.link(to: call.baseURL + path, call.query, count: count) else { return }
        headers.append(Header(name: "Link", value: link))
    }
}
