/// The pages that a list was followed over, as far as it takes to see that they lead in circles: the last few, and a
/// mark at the last page whose number is a power of two.
///
/// A page is known by its URL and by what it has, as a server may give each page at the same URL: then what follows is
/// told by a handle (`scroll_id`) or a cookie. So a circle of a few pages is seen when the first of them comes again as
/// it was, and a longer one when it comes back to a mark that lies on it, as one does at the latest when twice as many
/// pages have come as there are before and in the circle (Brent's algorithm). So what is kept does not grow with the
/// list, and a bookmark has no URLs in it but the next page's.
struct PageTrail: Sendable, Hashable, Codable {
    private static let length = 16

    /// How many pages there were.
    private(set) var count = 0
    private var recent: [String] = []
    private var mark = ""

    init() {}

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        // One that somebody has changed makes no number overflow, nor a first page of a later one.
        count = min(max(try values.decode(Int.self, forKey: .count), 1), Int(Int32.max))
        recent = try values.decode([String].self, forKey: .recent).suffix(Self.length)
        mark = try values.decode(String.self, forKey: .mark)
    }

    /// Adds a page.
    ///
    /// - Parameter digest: what it is known by, see ``digest(of:having:)``; nil for one that is only counted.
    mutating func note(_ digest: String?) {
        count += 1
        guard let digest else { return }
        if recent.count == Self.length { recent.removeFirst() }
        recent.append(digest)
        if count & (count - 1) == 0 { mark = digest }
    }

    /// Whether a page was there before, as far as that is known.
    func has(_ digest: String) -> Bool { digest == mark || recent.contains(digest) }

    /// What a page is known by: 64 bits, the same after a restart.
    static func digest(of url: String, having content: String) -> String {
        String(AnswerDigest(url, content).text.prefix(16))
    }
}
