/// A number for a text that is the same in every process, as `Hasher`'s is not (FNV-1a, 64 bits).
package func stableHash(_ text: String) -> UInt64 {
    text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
}
