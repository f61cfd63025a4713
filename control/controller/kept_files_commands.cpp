#include "control/controller/kept_files_commands.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "control/controller/columns.hpp"
#include "control/controller/size_text.hpp"

namespace dpm::control {
namespace {

std::string kind_name(KeptFile::Kind kind) { return kKeptKindNames.begin()[static_cast<std::size_t>(kind)]; }

// "logs", "copies" and "all" stand for many.
bool is_meant(const std::string& word, const KeptFile& file) {
  return word == "all" || word == file.name || word == (file.kind == KeptFile::Kind::log ? "logs" : "copies");
}

bool is_for_many(const std::string& word) { return word == "all" || word == "logs" || word == "copies"; }

}  // namespace

// Those of this computation and of earlier ones.
std::vector<std::string> KeptFilesCommands::used_machines() const {
  auto names = known_machines_.read();
  const auto add = [&](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const auto& filter : computation_.filters())
    if (!filter.is_unadopted()) add(filter.machine);
  for (const auto& job : computation_.jobs())
    for (const auto& process : job.processes) add(process.machine);
  return names;
}

std::string KeptFilesCommands::remark_on(const std::string& machine, const KeptFile& file) const {
  std::string remark = file.used_by.empty() ? "" : "used by " + file.used_by;
  for (const auto& filter : computation_.filters())
    if (file.kind == KeptFile::Kind::log && filter.machine == machine && filter.log.ends_with("/" + file.name) &&
        filter.fetched != FilterRecord::Fetched::whole)
      remark += fmt::format("{}not fetched", remark.empty() ? "" : ", ");
  return remark;
}

Outcome KeptFilesCommands::list(const Words& words) {
  const auto named = words.empty() ? used_machines() : sets_.named_once(words);
  if (!named) return console_.fail("files: " + named.error().what);
  const auto& names = *named;
  std::vector<Question> questions;
  for (const auto& name : names) questions.push_back({name, ListKept{}});
  auto answers = machines_.ask(std::move(questions));
  auto outcome = Outcome::done;
  std::vector<std::vector<std::string>> rows = {{"machine", "kind", "size", "age", "name", ""}};
  std::uint64_t bytes = 0, unlisted = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    auto kept = expect<KeptFiles>(std::move(answers[i]));
    if (!kept) {
      outcome = console_.fail(fmt::format("files: machine '{}': {}", names[i], kept.error().what));
      continue;
    }
    unlisted += kept->unlisted;
    for (const auto& file : kept->files) {
      bytes += file.size_bytes;
      rows.push_back({names[i], kind_name(file.kind), size_text(file.size_bytes), age_text(file.age_s), file.name,
                      remark_on(names[i], file)});
    }
  }
  if (rows.size() == 1) {
    if (outcome == Outcome::done) console_.say("no logs and no copied files are kept there");
    return outcome;
  }
  console_.say(columns(rows, 2));
  console_.say(fmt::format("{} in all{}; 'getlog NAME DESTINATION MACHINE' fetches a log, 'removefiles' removes them",
                           size_text(bytes),
                           unlisted == 0 ? "" : fmt::format(", and {} newer ones that are not listed", unlisted)));
  return outcome;
}

Outcome KeptFilesCommands::remove(const Words& words) {
  const auto named = sets_.named_once({words[0]});
  if (!named) return console_.fail("removefiles: " + named.error().what);
  std::vector<Question> questions;
  for (const auto& machine : *named) questions.push_back({machine, ListKept{}});
  auto answers = machines_.ask(std::move(questions));
  auto outcome = Outcome::done;
  for (std::size_t i = 0; i < named->size(); ++i)
    if (remove_on((*named)[i], expect<KeptFiles>(std::move(answers[i])), words) == Outcome::failed)
      outcome = Outcome::failed;
  return outcome;
}

Outcome KeptFilesCommands::remove_on(const std::string& machine, const Result<KeptFiles>& kept, const Words& words) {
  if (!kept) return console_.fail(fmt::format("removefiles: machine '{}': {}", machine, kept.error().what));
  auto outcome = Outcome::done;
  std::vector<const KeptFile*> files;
  for (std::size_t i = 1; i < words.size(); ++i) {
    bool is_found = is_for_many(words[i]);
    for (const auto& file : kept->files) {
      if (!is_meant(words[i], file)) continue;
      is_found = true;
      // Words for many mean what nothing uses.
      if (is_for_many(words[i]) && !file.used_by.empty()) continue;
      if (std::find(files.begin(), files.end(), &file) == files.end()) files.push_back(&file);
    }
    if (!is_found)
      outcome = console_.fail(fmt::format("removefiles: '{}' is not kept on {}; 'files {}' lists the files that are",
                                          words[i], machine, machine));
  }
  std::vector<Question> questions;
  for (const auto* file : files) questions.push_back({machine, RemoveKept{file->kind, file->name}});
  auto answers = machines_.ask(std::move(questions));
  std::uint64_t bytes = 0, removed = 0;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (auto done = expect<Done>(std::move(answers[i])); done) {
      ++removed;
      bytes += files[i]->size_bytes;
    } else {
      outcome = console_.fail(fmt::format("'{}' was not removed: {}", files[i]->name, done.error().what));
    }
  }
  console_.say(fmt::format("removed from {}: {} {}, {}", machine, removed,
                           removed == 1 ? "log or copy" : "logs and copies", size_text(bytes)));
  return outcome;
}

}  // namespace dpm::control
