struct Validators: Sendable {
    let entityTag: String
    let lastModified: Timestamp?

    /// The tag is weak, as GitHub's are. The `Link` header belongs to the reply.
    init(body: String, link: String?, lastModified: Timestamp?) {
        entityTag = "W/\"\(Validators.digest(body + "\n" + (link ?? "")))\""
        self.lastModified = lastModified
    }

    /// Whether a 304 is the reply. `If-None-Match` wins over `If-Modified-Since`.
    func areCurrent(for request: Incoming) -> Bool {
        if let tags = request.headers["if-none-match"] {
            return tags.split(separator: ",").contains { matches($0.filter { $0 != " " }) }
        }
        guard let lastModified,
            let since = request.headers["if-modified-since"].flatMap({ Timestamp(httpDate: $0) })
        else { return false }
        return lastModified <= since
    }

    private func matches(_ tag: String) -> Bool {
        tag == "*" || strong(tag) == strong(entityTag)
    }

    private func strong(_ tag: String) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...] }

    /// FNV-1a of 64 bits.
    private static func digest(_ text: String) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
