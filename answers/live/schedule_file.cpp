#include "answers/live/schedule_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

#include "answers/live/request_window.hpp"
#include "trace/files.hpp"

namespace dpm::cli {
namespace {

using view::Json;

constexpr std::size_t kFileMost = 16 * 1024 * 1024;
constexpr std::size_t kEntriesMost = 200;

std::string text_in(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? page_text(found->get<std::string>()) : "";
}

Json number_in(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? *found : Json();
}

Json array_in(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_array() ? *found : Json::array();
}

Json entry_of(const Json& entry) {
  Json moves = Json::array();
  for (const Json& move : array_in(entry, "moves"))
    if (move.is_object())
      moves.push_back(
          {{"process", text_in(move, "process")}, {"from", text_in(move, "from")}, {"to", text_in(move, "to")}});
  Json predicted;
  if (const auto gain = entry.find("predicted_gain"); gain != entry.end() && gain->is_object())
    predicted = {{"expected", number_in(*gain, "expected")},
                 {"low", number_in(*gain, "low")},
                 {"high", number_in(*gain, "high")}};
  return {{"at_s", number_in(entry, "at_s")},       {"moves", std::move(moves)},
          {"predicted_gain", std::move(predicted)}, {"measured_gain", number_in(entry, "measured_gain")},
          {"outcome", text_in(entry, "outcome")},   {"reason", text_in(entry, "reason")}};
}

Json journal_of(const Json& document) {
  const Json all = array_in(document, "journal");
  Json last = Json::array();
  for (std::size_t i = all.size() - std::min(all.size(), kEntriesMost); i < all.size(); ++i)
    if (all[i].is_object()) last.push_back(entry_of(all[i]));
  Json places = Json::array();
  for (const Json& place : array_in(document, "places"))
    if (place.is_string()) places.push_back(page_text(place.get<std::string>()));
  const auto dry_run = document.find("dry_run");
  return {{"policy", text_in(document, "policy")},
          {"places", std::move(places)},
          {"dry_run", dry_run != document.end() && dry_run->is_boolean() && dry_run->get<bool>()},
          {"decisions", all.size()},
          {"journal", std::move(last)}};
}

}  // namespace

bool ScheduleFile::refresh() {
  struct stat facts = {};
  if (::stat(path_.c_str(), &facts) != 0) return false;
  std::string now =
      fmt::format("{} {} {}.{:09}", facts.st_ino, facts.st_size, facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec);
  if (now == seen_) return false;
  seen_ = std::move(now);
  const auto text = read_text_file(path_, kFileMost);
  const Json document = text ? Json::parse(*text, nullptr, false) : Json();
  journal_ = document.is_object() ? journal_of(document) : Json();
  return true;
}

}  // namespace dpm::cli
