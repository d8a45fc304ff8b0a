// Informs ThreadSanitizer about locks that it misses on Linux. A contended Mutex of Swift's Synchronization is locked and unlocked
// within the standard library, which is uninstrumented (the uncontended path is inlined, and seen). Scripts/sanitize loads this
// before the tests. Otherwise, accesses that only a Mutex separates look like a race as soon as two threads wait for it.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

// Only the test process has ThreadSanitizer's runtime; the processes that start it lack it.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

typedef __attribute__((swiftcall)) void Lock(uint32_t thread, __attribute__((swift_context)) void *mutex);
typedef __attribute__((swiftcall)) void Unlock(__attribute__((swift_context)) void *mutex);

static Lock *lockSlow;
static Unlock *unlockSlow;

__attribute__((swiftcall)) void lock(uint32_t thread, __attribute__((swift_context)) void *mutex)
    __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
__attribute__((swiftcall)) void unlock(__attribute__((swift_context)) void *mutex)
    __asm__("$s15Synchronization12_MutexHandleV11_unlockSlowyyF");

__attribute__((swiftcall)) void lock(uint32_t thread, __attribute__((swift_context)) void *mutex) {
    if (!lockSlow) lockSlow = (Lock *)dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
    lockSlow(thread, mutex);
    if (__tsan_acquire) __tsan_acquire(mutex);
}

__attribute__((swiftcall)) void unlock(__attribute__((swift_context)) void *mutex) {
    if (!unlockSlow) unlockSlow = (Unlock *)dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV11_unlockSlowyyF");
    if (__tsan_release) __tsan_release(mutex);
    unlockSlow(mutex);
}
