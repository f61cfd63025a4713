#include <nlohmann/json.hpp>

#include "answers/results/causality_results.hpp"
#include "answers/scenario/answer.hpp"
#include "answers/scenario/requests.hpp"

namespace dpm::cli {
namespace {

using Json = nlohmann::ordered_json;

class CausalityAnswer : public Answer {
 public:
  Result<Json> answer(const Findings& found, const Question& question) override {
    const auto history = found.histories.of(question.computation);
    if (!history) return history.error();
    const auto options = causality_options(question.request, question.scenario);
    if (!options) return options.error();
    const auto causality = find_causality(**history, *options);
    if (!causality) return causality.error();
    return causality_json(*causality, found.input.info, found.input.ledger);
  }
};

}  // namespace

std::unique_ptr<Answer> make_causality_answer() { return std::make_unique<CausalityAnswer>(); }

}  // namespace dpm::cli
