/// What a document may ask of its reader.
package struct JSONLimits: Sendable {
    /// How many objects and arrays may be open at once, 0...16,384. `[]` needs 1.
    package let maximumDepth: Int

    /// 512 levels, several times what APIs send and little enough for a caller that recurses on a 512 KiB stack.
    package static let standard = JSONLimits(maximumDepth: 512)

    package init(maximumDepth: Int) {
        // The reader's own stack grows by a frame for 64 levels, so even the highest limit needs few.
        self.maximumDepth = min(max(maximumDepth, 0), 16_384)
    }
}
