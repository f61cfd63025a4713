#include <nlohmann/json.hpp>

#include "answers/results/statistics_results.hpp"
#include "answers/scenario/answer.hpp"

namespace dpm::cli {
namespace {

using Json = nlohmann::ordered_json;

class StatisticsAnswer : public Answer {
 public:
  bool needs_history() const override { return false; }

  Result<Json> answer(const Findings& found, const Question& /*question*/) override {
    return statistics_json(found.statistics, found.input.info, found.input.ledger);
  }
};

}  // namespace

std::unique_ptr<Answer> make_statistics_answer() { return std::make_unique<StatisticsAnswer>(); }

}  // namespace dpm::cli
