#include "answers/sampling/diagnostic_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "text/number_text.hpp"
#include "text/printable.hpp"
#include "text/text_table.hpp"

namespace dpm::cli {
namespace {

using sampling::Diagnostics;

// Those of which there are samples.
std::vector<sampling::Resource> sampled_resources(const Diagnostics& diagnostics) {
  std::vector<sampling::Resource> resources;
  for (std::size_t i = 0; i < sampling::kResources; ++i)
    if (const auto resource = static_cast<sampling::Resource>(i); diagnostics.samples(resource) > 0)
      resources.push_back(resource);
  return resources;
}

}  // namespace

std::string diagnostics_text(const Diagnostics& diagnostics, const sampling::CountArray& counts, int width) {
  const auto& account = counts.account();
  const auto total = counts.total();
  std::string text =
      fmt::format("{} of {} samples taken; {} missed, {} of them invalid, because the kernel did not answer\n",
                  total.samples, total.samples + account.missed, account.missed, diagnostics.invalid());
  text += fmt::format("jitter {}\n", seconds_text(diagnostics.jitter_ns() * 1e-9));
  TextTable table({"resource", ">samples of threads", ">bad"});
  for (const auto resource : sampled_resources(diagnostics))
    table.add_row({std::string(sampling::name_of(resource)), std::to_string(diagnostics.samples(resource)),
                   std::to_string(diagnostics.bad(resource))});
  text += table.to_text(width);
  if (total.unrecognised > 0) {
    TextTable evidence({"not recognised: letter, wait channel, system call", ">samples"});
    for (const auto& [where, times] : counts.unrecognised())
      evidence.add_row({printable(where), std::to_string(times)});
    text += "\n" + evidence.to_text(width);
  }
  return text;
}

nlohmann::ordered_json diagnostics_json(const Diagnostics& diagnostics, const sampling::CountArray& counts) {
  auto resources = nlohmann::ordered_json::array();
  for (const auto resource : sampled_resources(diagnostics))
    resources.push_back({{"resource", sampling::name_of(resource)},
                         {"samples", diagnostics.samples(resource)},
                         {"bad", diagnostics.bad(resource)}});
  return {{"samples", counts.total().samples}, {"missed", counts.account().missed},
          {"invalid", diagnostics.invalid()},  {"jitter_s", diagnostics.jitter_ns() * 1e-9},
          {"resources", std::move(resources)}, {"unrecognised", counts.unrecognised()}};
}

}  // namespace dpm::cli
