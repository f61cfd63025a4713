#include "scenarios/native/manager_socket.hpp"

#include "model/process_manager.hpp"
#include "scenarios/native/board.hpp"

namespace dpm::native {

void ManagerSocket::add_to(std::vector<pollfd>& polled) {
  inbox_.add_to(polled);
  outbox_.add_to(polled);
}

std::optional<Frame> ManagerSocket::next_request() {
  inbox_.look(false);
  return inbox_.take({[](const FrameHeader& header) {
    return header.kind == FrameKind::message ? std::optional(0.0) : std::nullopt;
  }});
}

void ManagerSocket::answer(const FrameHeader& request, const Result<std::optional<Link>>& answer) {
  if (request.reply_to == 0) return;  // not a CALL: its sender waits for nothing
  FrameHeader header;
  header.token = run_.token;
  header.sender = run_.processes - 1;
  header.number = request.reply_to;
  header.sent_ns = monotonic_ns();
  std::vector<std::byte> data;
  if (!answer) {
    header.code = 1;
    data = encode_words({answer.error().what});
  } else if (*answer) {
    header.pass(**answer);
  }
  header.length_bytes = header.data_bytes = static_cast<std::uint32_t>(data.size());
  outbox_.send(request.sender, encode(header, data));
}

}  // namespace dpm::native
