/// The pages that a list was followed over, as far as it takes to see that they lead in circles: the last few, and a
/// mark at the last page whose number is a power of two.
///
/// A circle of a few pages is seen before any of them comes again, and a longer one when it comes back to a mark that
/// lies on it, as one does at the latest when twice as many pages have come as there are before and in the circle
/// (Brent's algorithm). So what is kept does not grow with the list, and a bookmark has no URLs in it but the next
/// page's.
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
    mutating func note(_ url: String) {
        let digest = Self.digest(of: url)
        count += 1
        if recent.count == Self.length { recent.removeFirst() }
        recent.append(digest)
        if count & (count - 1) == 0 { mark = digest }
    }

    /// Whether a page was there before, as far as that is known.
    func has(_ url: String) -> Bool {
        let digest = Self.digest(of: url)
        return digest == mark || recent.contains(digest)
    }

    /// 64 bits, the same after a restart.
    private static func digest(of url: String) -> String { String(AnswerDigest(url).text.prefix(16)) }
}
