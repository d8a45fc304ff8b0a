#if canImport(Glibc)
    import Glibc
#endif

/// Room at the end of the heap, for many rows and their objects.
///
/// Where a thread isn't the process's first, glibc lets its heap grow by just what an allocation lacks, by a call of
/// the system for every page or two (`grow_heap` in malloc/arena.c): 6,500 calls for ten thousand rows, a tenth of the
/// time they take. What is asked for at once and given back is at the heap's end from then on. It takes no memory until
/// it is used.
struct HeapRoom {
    /// Less than what glibc gives back to the system (`M_TRIM_THRESHOLD`) or asks it for by itself
    /// (`M_MMAP_THRESHOLD`): 128 kB.
    private static var size: Int { 96 * 1024 }
    /// What a row's object takes beside the row.
    private static var perObject: Int { 1024 }
    private var left = 0
    /// Kept so that the compiler sees a use of it, and doesn't leave out what makes it.
    private var place: UInt = 0

    /// Makes room if there isn't enough for one more row.
    @inline(__always)
    mutating func take(_ byteCount: Int) {
        #if canImport(Glibc)
            left -= byteCount + Self.perObject
            if left < 0 { make() }
        #endif
    }

    #if canImport(Glibc)
        @inline(never)
        private mutating func make() {
            left = Self.size
            // Nothing is written there, and it is given back at once.
            let room = unsafe malloc(Self.size)
            place = UInt(bitPattern: room)
            unsafe free(room)
        }
    #endif
}
