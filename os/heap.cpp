#include "os/heap.hpp"

#include <malloc.h>

namespace dpm {

void keep_buffers_apart() {
  constexpr int kBufferBytes = 16 << 10;
  ::mallopt(M_MMAP_THRESHOLD, kBufferBytes);
}

void give_back_free_memory() { ::malloc_trim(0); }

}  // namespace dpm
