// links: dpm_protocol dpm_model
// Controllers and daemons read what the other end sends: whatever is accepted is what would have been sent for it. The
// first byte is the frame's kind.
#include <string>
#include <string_view>

#include "control/protocol/control_codec.hpp"
#include "model/check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto message = dpm::control::decode_message({data[0], std::string(input.substr(1))});
  if (!message) {
    DPM_CHECK(!message.error().what.empty());
    return 0;
  }
  std::string written, again;
  // What is accepted in short forms can be too long for a frame when it is written out.
  if (!dpm::control::append_message(written, *message)) return 0;
  dpm::FrameReader reader;
  reader.feed(written);
  const auto frame = reader.next().value();
  DPM_CHECK(frame.has_value());
  DPM_CHECK(dpm::control::append_message(again, dpm::control::decode_message(*frame).value()));
  DPM_CHECK(again == written);
  return 0;
}
