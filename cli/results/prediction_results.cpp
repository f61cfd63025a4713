#include "cli/results/prediction_results.hpp"

#include <nlohmann/json.hpp>

#include "cli/text_table.hpp"

namespace dpm::cli {

std::string prediction_text(const std::vector<Prediction>& predictions, int width) {
  TextTable table({"placement", "order", ">P", ">elapsed", ">P of all orders", ">identity error", ">clock error"});
  for (const auto& p : predictions)
    table.add_row({p.placement, std::string(name_of(p.order)), fixed(p.P, 3), seconds_text(p.elapsed_s),
                   fixed(p.spread.low_P, 3) + " to " + fixed(p.spread.high_P, 3), percent(p.identity_error, 2),
                   percent(p.clock_error, 2)});
  return table.to_text(width);
}

nlohmann::ordered_json prediction_json(const Prediction& prediction, const TraceInfo& info) {
  using Json = nlohmann::ordered_json;
  Json document = {{"placement", prediction.placement},
                   {"P", prediction.P},
                   {"T_s", prediction.T_s},
                   {"elapsed_s", prediction.elapsed_s},
                   {"order", name_of(prediction.order)},
                   {"method", name_of(prediction.method)},
                   {"spread",
                    {{"low", prediction.spread.low_P},
                     {"high", prediction.spread.high_P},
                     {"low_elapsed_s", prediction.spread.low_elapsed_s},
                     {"high_elapsed_s", prediction.spread.high_elapsed_s}}},
                   {"identity_error", prediction.identity_error},
                   {"clock_error", prediction.clock_error},
                   {"warnings", prediction.warnings}};
  if (prediction.sensitivity)
    document["sensitivity"] = {{"delays_10_percent_longer", prediction.sensitivity->delays_10_percent_longer},
                               {"cpu_10_percent_slower", prediction.sensitivity->cpu_10_percent_slower}};
  if (!prediction.roles.empty()) {
    Json roles = Json::array();
    for (const auto& group : prediction.roles) {
      Json workers = Json::array();
      for (const auto worker : group.workers) workers.push_back(info[worker].name);
      roles.push_back({{"dispatcher", info[group.dispatcher].name}, {"workers", std::move(workers)}});
    }
    document["roles"] = std::move(roles);
  }
  return document;
}

}  // namespace dpm::cli
