#ifndef ALLOCATED_MEMORY_H
#define ALLOCATED_MEMORY_H

#include <stddef.h>

/// The bytes that this process has allocated and not freed; 0 where the allocator isn't glibc's.
size_t allocated_memory(void);

#endif
