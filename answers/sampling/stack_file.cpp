#include "answers/sampling/stack_file.hpp"

#include <unistd.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "answers/sampling/stack_formats.hpp"
#include "os/new_file.hpp"
#include "trace/files.hpp"

namespace dpm::cli {

Result<StackFile> StackFile::create(const std::string& path) {
  const bool is_json = path.ends_with(".json");
  if (!is_json && !path.ends_with(".folded") && !path.ends_with(".txt"))
    return Error{"--stacks " + path + ": name it *.folded or *.txt for folded text, or *.json for speedscope"};
  if (auto made = write_new_file(path, ""); !made) return made.error();
  return StackFile(path, is_json ? Form::speedscope : Form::folded);
}

StackFile::StackFile(StackFile&& other) noexcept
    : path_(std::exchange(other.path_, {})), form_(other.form_), is_written_(other.is_written_) {}

StackFile::~StackFile() {
  if (!path_.empty() && !is_written_) ::unlink(path_.c_str());
}

Result<void> StackFile::write(const sampling::NamedStacks& stacks, const std::string& name) {
  auto written =
      replace_file(path_, form_ == Form::folded ? folded_text(stacks) : speedscope_json(stacks, name).dump() + "\n");
  is_written_ = written.has_value();
  return written;
}

}  // namespace dpm::cli
