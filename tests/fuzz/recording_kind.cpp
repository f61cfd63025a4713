// links: dpm_import dpm_trace dpm_model
// Any file may be given to a command without its format, and compressed. It is refused, or what it becomes is sound.
#include "formats/import/guess.hpp"
#include "tests/fuzz/import_bytes.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dpm::with_file(data, size, [](const std::string& path) {
    if (const auto guess = dpm::guess_format(path)) dpm::import_path(std::string(guess->format->name).c_str(), path);
  });
  return 0;
}
