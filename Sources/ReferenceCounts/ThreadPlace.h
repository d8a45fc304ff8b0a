// A place of each thread's own, which Swift has no word for: a library would be called to find it.

#ifndef THREAD_PLACE_H
#define THREAD_PLACE_H

/// Where this thread keeps what ObjectStore's TrackingProbe puts there; null at first. One file uses it, as each has its own.
static inline void *_Nullable *_Nonnull trackingProbeOfThread(void) {
    static _Thread_local void *_Nullable probe;
    return &probe;
}

#endif
