// How the system's own processes (kernels, process manager) serve: one request after another, each answered with code 0
// and perhaps a link to pass, or with code 1 and the reason (model/process_manager.hpp).
#pragma once

#include <optional>

#include "model/message_calls.hpp"
#include "model/process_manager.hpp"
#include "model/result.hpp"

namespace dpm::sim {

using Answer = Result<std::optional<LinkIndex>>;  // perhaps with a link to pass

// `make_answer` makes an Answer of a request.
template <typename MakeAnswer>
[[noreturn]] void serve_requests(MessageCalls& calls, MakeAnswer make_answer) {
  for (;;) {
    const Message request = calls.receive_message();
    const Answer answer = make_answer(request);
    OutgoingMessage reply;
    if (answer) {
      reply.pass = *answer;
    } else {
      reply.code = 1;
      reply.data = encode_words({answer.error().what});
    }
    if (request.reply_to) calls.reply(request, reply);
    if (reply.pass) calls.destroy_link(*reply.pass);
  }
}

}  // namespace dpm::sim
