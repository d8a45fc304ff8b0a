/// 8 and 32 bytes at a time. The caller guarantees that both runs have `count` bytes, as for `memcmp`.
@unsafe @inlinable
func bytesAreEqual(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer, count: Int) -> Bool {
    var at = 0
    while at &+ 32 <= count {
        let a = unsafe (left + at).loadUnaligned(as: SIMD4<UInt64>.self)
        let b = unsafe (right + at).loadUnaligned(as: SIMD4<UInt64>.self)
        let difference = a ^ b
        guard difference[0] | difference[1] | difference[2] | difference[3] == 0 else { return false }
        at &+= 32
    }
    while at &+ 8 <= count {
        let a = unsafe (left + at).loadUnaligned(as: UInt64.self)
        let b = unsafe (right + at).loadUnaligned(as: UInt64.self)
        guard a == b else { return false }
        at &+= 8
    }
    while at < count {
        guard unsafe (left + at).load(as: UInt8.self) == (right + at).load(as: UInt8.self) else { return false }
        at &+= 1
    }
    return true
}

package func equal(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    guard left.count == right.count else { return false }
    guard let a = left.baseAddress, let b = right.baseAddress else { return left.count == 0 }
    return unsafe bytesAreEqual(a, b, count: left.count)
}

extension UnsafeRawBufferPointer {
    /// Eight bytes each, which may overlap. Below eight bytes, the two words contain all of them, so that different
    /// buffers of equal length differ.
    @unsafe @inlinable var edges: (first: UInt64, last: UInt64) {
        if count >= 8 {
            return unsafe (
                loadUnaligned(as: UInt64.self), loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
            )
        }
        if count >= 4 {
            return unsafe (
                UInt64(loadUnaligned(as: UInt32.self)),
                UInt64(loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self))
            )
        }
        guard count > 0 else { return (0, 0) }
        return unsafe (UInt64(self[0]), UInt64(self[count &- 1]) | UInt64(self[count &>> 1]) &<< 8)
    }
}

/// By one full-width multiplication.
@inlinable func mix(_ word: UInt64) -> UInt64 {
    let product = word.multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
    return product.high ^ product.low
}
