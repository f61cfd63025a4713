#include "trace/undelivered.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "trace/json_number.hpp"
#include "trace/log_folder.hpp"
#include "trace/refused_json.hpp"

namespace dpm {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kBytesMax = 16 * 1024 * 1024;

}  // namespace

std::string to_json(const std::vector<Undelivered>& undelivered) {
  Json json = {{"format", "dpm-undelivered"}, {"version", 1}, {"meters", Json::array()}};
  for (const auto& meter : undelivered)
    json["meters"].push_back({{"machine", meter.machine},
                              {"pid", meter.pid},
                              {"job", meter.job},
                              {"name", meter.name},
                              {"problem", meter.problem},
                              {"waiting", meter.waiting},
                              {"lost", meter.lost},
                              {"file", meter.file}});
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<std::vector<Undelivered>> undelivered_from_json(const std::string& path, const std::string& text) {
  try {
    const Json json = Json::parse(text);
    if (json.at("format") != "dpm-undelivered" || json.at("version") != 1)
      return Error{path + ": not a list of undelivered events, or of another version"};
    std::vector<Undelivered> undelivered;
    for (const auto& meter : json.at("meters"))
      undelivered.push_back({meter.at("machine").get<std::string>(), meter.at("job").get<std::string>(),
                             meter.at("name").get<std::string>(), whole_number<std::uint32_t>(meter.at("pid")),
                             meter.at("problem").get<std::string>(), event_count(meter.at("waiting")),
                             event_count(meter.at("lost")), meter.at("file").get<std::string>()});
    return undelivered;
  } catch (const nlohmann::json::exception& wrong) {
    return refused_json(path, "not a list of undelivered events", text, wrong);
  }
}

Result<std::vector<Undelivered>> read_undelivered(const std::string& directory) {
  const auto text = read_file_of_log(directory, kUndeliveredName, kBytesMax);
  if (!text) return text.error();
  if (*text) return undelivered_from_json((*text)->path, (*text)->text);
  return std::vector<Undelivered>{};
}

std::vector<Loss> losses_of(const std::vector<Undelivered>& undelivered) {
  std::vector<Loss> losses;
  for (const auto& meter : undelivered) {
    const std::string whose = fmt::format("process {} ({}) on {}", meter.pid, meter.name, meter.machine);
    const std::string place =
        meter.file.empty() ? "they waited there when the log was fetched" : "they are there in " + meter.file;
    losses.push_back(
        {fmt::format("{} does not reach the filter ({}): {}", whose, meter.problem, place), meter.waiting});
    if (meter.lost > 0)
      losses.push_back(
          {fmt::format("{} does not reach the filter ({}), and had no room for them", whose, meter.problem),
           meter.lost});
  }
  return losses;
}

}  // namespace dpm
