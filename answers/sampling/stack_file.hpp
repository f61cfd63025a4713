// The file of call stacks that 'dpm sample --stacks' names: made before the first sample, written at the end.
#pragma once

#include <cstdint>
#include <string>

#include "model/result.hpp"
#include "sampling/stacks/named_stacks.hpp"

namespace dpm::cli {

class StackFile {
 public:
  // Makes the folders above it, too. Refuses a file that exists, one that cannot be made, and a name that does not say which form is wanted.
  static Result<StackFile> create(const std::string& path);
  StackFile(StackFile&& other) noexcept;
  StackFile(const StackFile&) = delete;
  // A file into which nothing was written is removed.
  ~StackFile();

  // `name`: of what was sampled.
  Result<void> write(const sampling::NamedStacks& stacks, const std::string& name);

 private:
  enum class Form : std::uint8_t { folded, speedscope };
  StackFile(std::string path, Form form) : path_(std::move(path)), form_(form) {}

  std::string path_;  // empty: moved away
  Form form_;
  bool is_written_ = false;
};

}  // namespace dpm::cli
