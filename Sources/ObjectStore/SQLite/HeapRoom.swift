#if canImport(Glibc)
    import Glibc
#endif

/// Extends the heap in large steps before many rows and objects are allocated.
///
/// On threads other than the first, glibc makes a system call for every page or two (`grow_heap` in malloc/arena.c), a
/// tenth of the time. Memory that is allocated and freed at once stays part of the heap, without pages.
struct HeapRoom {
    /// Below the 128 kB at which glibc returns memory (`M_TRIM_THRESHOLD`), or maps it separately (`M_MMAP_THRESHOLD`).
    private static var size: Int { 96 * 1024 }
    /// The estimated bytes of an object besides its row.
    private static var perObject: Int { 1024 }
    private var left = 0
    /// Keeps the compiler from removing the allocation as unused.
    private var place: UInt = 0

    /// - Parameter byteCount: the size of the next row.
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
            let room = unsafe malloc(Self.size)
            place = UInt(bitPattern: room)
            unsafe free(room)
        }
    #endif
}
