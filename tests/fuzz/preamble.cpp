// links: dpm_frames dpm_model
// The first bytes that a stranger sends to a filter: whatever they are and however they are cut, the reader asks for a
// bounded number, and believes only what was made with the key.
#include "control/transport/frames/preamble.hpp"

#include <algorithm>

#include "control/transport/frames/meter_scope.hpp"
#include "model/check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dpm;
  if (size == 0) return 0;
  const std::size_t piece_max = 1 + data[0];
  std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string key(64, 'a');
  PreambleReader reader;
  while (reader.wanted() > 0 && !rest.empty()) {
    DPM_CHECK(reader.wanted() <= kPreambleHeadBytes + kIdentityBytesMax);
    const std::size_t count = std::min({reader.wanted(), rest.size(), piece_max});
    if (!reader.take(rest.substr(0, count))) return 0;
    rest.remove_prefix(count);
  }
  if (reader.wanted() > 0) return 0;
  (void)scope_from(reader.identity());
  const std::string identity(reader.identity());
  const auto right = make_preamble(identity, key, reader.nonce()).value();
  const std::string_view taken(reinterpret_cast<const char*>(data) + 1, size - 1 - rest.size());
  DPM_CHECK(reader.is_proved(key) == (taken == right));
  return 0;
}
