import AllocatedMemory
import Foundation

/// The resources that this process has used so far.
struct Usage {
    /// Bytes that were allocated and are still in use; 0 if the platform doesn't count them.
    let memory: Int
    /// Microseconds of all threads, in its own code and in the system's.
    let time: Double

    static var now: Usage { Usage(memory: allocated_memory(), time: processTime) }

    private static var processTime: Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
    }
}
