/// Detects cycles of pages in constant space, by the last pages and one mark: the last page whose number is a power of
/// two (Brent's algorithm). At most twice as many pages are fetched as there are before and in the cycle.
///
/// A page is identified by its URL and its content, because a server may serve all pages at one URL and continue by a
/// handle (`scroll_id`) or a cookie.
struct PageTrail: Sendable, Hashable, Codable {
    private static let length = 16

    private(set) var count = 0
    private var recent: [String] = []
    private var mark = ""

    init() {}

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        // Prevents overflows, and 0, which would mean the first page.
        count = min(max(try values.decode(Int.self, forKey: .count), 1), Int(Int32.max))
        recent = try values.decode([String].self, forKey: .recent).suffix(Self.length)
        mark = try values.decode(String.self, forKey: .mark)
    }

    /// - Parameter digest: nil if the page is only counted.
    mutating func note(_ digest: String?) {
        count += 1
        guard let digest else { return }
        if recent.count == Self.length { recent.removeFirst() }
        recent.append(digest)
        if count & (count - 1) == 0 { mark = digest }
    }

    func has(_ digest: String) -> Bool { digest == mark || recent.contains(digest) }

    /// 64 bits that are the same after a restart.
    static func digest(of url: String, having content: String) -> String {
        String(AnswerDigest(url, content).text.prefix(16))
    }
}
