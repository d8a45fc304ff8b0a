/// Detects cycles of pages in constant space. It stores the last few pages, and one mark: the last page whose number is
/// a power of two.
///
/// A page is identified by its URL and its content, because a server may serve all pages at one URL and continue by a
/// handle (`scroll_id`) or a cookie.
///
/// A short cycle is detected when one of the last pages comes again. A long one is detected when it returns to a mark
/// on it (Brent's algorithm). At most twice as many pages are fetched as there are before and in the cycle.
struct PageTrail: Sendable, Hashable, Codable {
    private static let length = 16

    private(set) var count = 0
    private var recent: [String] = []
    private var mark = ""

    init() {}

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        // Protects against overflows, and against a later page that passes for the first one.
        count = min(max(try values.decode(Int.self, forKey: .count), 1), Int(Int32.max))
        recent = try values.decode([String].self, forKey: .recent).suffix(Self.length)
        mark = try values.decode(String.self, forKey: .mark)
    }

    /// Adds a page.
    ///
    /// - Parameter digest: its ``digest(of:having:)``; nil if the page is only counted.
    mutating func note(_ digest: String?) {
        count += 1
        guard let digest else { return }
        if recent.count == Self.length { recent.removeFirst() }
        recent.append(digest)
        if count & (count - 1) == 0 { mark = digest }
    }

    /// Whether a page came before, as far as it is recorded.
    func has(_ digest: String) -> Bool { digest == mark || recent.contains(digest) }

    /// Returns 64 bits that identify a page, also after a restart.
    static func digest(of url: String, having content: String) -> String {
        String(AnswerDigest(url, content).text.prefix(16))
    }
}
