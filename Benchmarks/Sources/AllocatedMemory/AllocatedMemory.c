#include "AllocatedMemory.h"

#ifdef __GLIBC__
#include <malloc.h>

size_t allocated_memory(void) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}
#else
size_t allocated_memory(void) { return 0; }
#endif
