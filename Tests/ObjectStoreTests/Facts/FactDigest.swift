/// A hash of texts that is the same in each process (FNV-1a).
struct FactDigest {
    private(set) var hash: UInt64 = 0xcbf2_9ce4_8422_2325

    mutating func add(_ text: String) {
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
}
