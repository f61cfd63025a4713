#include <nlohmann/json.hpp>

#include "answers/results/queues_results.hpp"
#include "answers/scenario/answer.hpp"

namespace dpm::cli {
namespace {

using Json = nlohmann::ordered_json;

class QueuesAnswer : public Answer {
 public:
  bool needs_history() const override { return false; }

  Result<Json> answer(const Findings& found, const Question& /*question*/) override {
    return queues_json(found.queues, found.input.info, found.input.ledger);
  }
};

}  // namespace

std::unique_ptr<Answer> make_queues_answer() { return std::make_unique<QueuesAnswer>(); }

}  // namespace dpm::cli
