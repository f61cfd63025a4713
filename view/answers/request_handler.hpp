// Where the answers for the page come from. The server (view/server) and the writer of a file ask in the same way.
#pragma once

#include <functional>
#include <vector>

#include "view/answers/answer.hpp"
#include "view/answers/metrics.hpp"
#include "view/answers/page_request.hpp"

namespace dpm::view {

class RequestHandler {
 public:
  virtual ~RequestHandler() = default;

  // To be called once, from any thread, during answer() or later, also after the asker has gone. Destroyed without a call:
  // the viewer is told that there was no answer. The sentence of an error is shown to the user.
  using Done = std::function<void(Result<Answer>)>;

  // A server calls this and metrics() in one thread of its own, one call at a time, so a handler needs no lock against
  // itself. It may take 100 ms: other viewers wait for their answers that long, and for nothing else. What takes longer is
  // done in another thread, which keeps `done`.
  virtual void answer(const PageRequest& request, Done done) = 0;

  // What Prometheus reads, beside the numbers of the server itself.
  virtual std::vector<MetricFamily> metrics() = 0;
};

}  // namespace dpm::view
