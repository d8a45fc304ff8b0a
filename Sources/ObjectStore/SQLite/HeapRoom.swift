#if canImport(Glibc)
    import Glibc
#endif

/// Extends the heap in large steps before many rows and their objects are allocated.
///
/// On threads other than the first, glibc extends a heap by only the missing memory: a system call for every page or
/// two (`grow_heap` in malloc/arena.c). For 10,000 rows, these are 6,500 calls and a tenth of the time. Memory that is
/// allocated and freed at once stays part of the heap. It is backed by pages only when it is used.
struct HeapRoom {
    /// Below the 128 kB at which glibc returns memory to the system (`M_TRIM_THRESHOLD`), or maps it separately
    /// (`M_MMAP_THRESHOLD`).
    private static var size: Int { 96 * 1024 }
    /// The estimated size of a row's object in bytes, in addition to the row.
    private static var perObject: Int { 1024 }
    private var left = 0
    /// Keeps the compiler from removing the allocation as unused.
    private var place: UInt = 0

    /// Extends the heap if the reserved memory is too small for one more row.
    ///
    /// - Parameter byteCount: the size of the row.
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
            // The memory is freed at once, and stays unwritten.
            let room = unsafe malloc(Self.size)
            place = UInt(bitPattern: room)
            unsafe free(room)
        }
    #endif
}
