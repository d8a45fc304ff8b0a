/// Names and values, in order.
struct Query: Sendable {
    private var items: [(name: String, value: String)] = []

    /// Leaves out malformed parts.
    init(_ text: String) {
        for part in text.split(separator: "&") {
            let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.decoded(halves[0], plusIsSpace: true),
                let value = PercentEncoding.decoded(halves.count > 1 ? halves[1] : "", plusIsSpace: true)
            else { continue }
            items.append((name, value))
        }
    }

    /// The last non-empty value of a name.
    subscript(name: String) -> String? {
        items.last { $0.name == name }.flatMap { $0.value.isEmpty ? nil : $0.value }
    }

    /// Percent-encoded, for another page.
    func text(page: Int) -> String {
        var items = items
        if let index = items.firstIndex(where: { $0.name == "page" }) {
            items[index].value = String(page)
        } else {
            items.append(("page", String(page)))
        }
        return items.map { "\(PercentEncoding.encoded($0.name))=\(PercentEncoding.encoded($0.value))" }
            .joined(separator: "&")
    }
}
