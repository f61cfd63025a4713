// links: dpm_import dpm_trace dpm_model
// A file of the format zipkin may come from anywhere. It is refused, or what it becomes is sound.
#include "tests/fuzz/import_bytes.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dpm::import_bytes("zipkin", data, size);
  return 0;
}
