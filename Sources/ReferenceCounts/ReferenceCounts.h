// What the Swift runtime offers beside the language's own references. The functions are part of its ABI:
// https://github.com/swiftlang/swift/blob/main/include/swift/Runtime/HeapObject.h

#ifndef REFERENCE_COUNTS_H
#define REFERENCE_COUNTS_H

/// Retains an object, or returns null when it is being destroyed or is, and for null. The object's memory must be there.
void *_Nullable swift_tryRetain(void *_Nullable object);

/// Keeps an object's memory, without what the object holds, as an unowned reference does.
void *_Nonnull swift_unownedRetain(void *_Nonnull object);

/// Ends that.
void swift_unownedRelease(void *_Nonnull object);

#endif
