/* See DetourNavMeshQuery.h. */
#ifndef WAYMESH_DETOUR_ALLOC_H
#define WAYMESH_DETOUR_ALLOC_H

#include <cstdlib>

enum dtAllocHint { DT_ALLOC_PERM, DT_ALLOC_TEMP };

inline void *dtAlloc(size_t size, dtAllocHint) { return std::malloc(size); }
inline void dtFree(void *memory) { std::free(memory); }

#endif
