// The page of a trace directory as a process that lives as long as this object, or as its owner's process, however that ends.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include "model/result.hpp"
#include "os/unique_fd.hpp"

namespace dpm::cli {

class OwnedPage {
 public:
  // Waits until it has an address; an error says why it has none.
  static Result<std::unique_ptr<OwnedPage>> start(const std::string& directory, const std::string& title);
  OwnedPage(const OwnedPage&) = delete;
  OwnedPage& operator=(const OwnedPage&) = delete;
  ~OwnedPage();

  const std::string& address() const { return address_; }
  bool has_ended();  // by itself

 private:
  OwnedPage(pid_t pid, UniqueFd input) : pid_(pid), input_(std::move(input)) {}

  pid_t pid_;       // 0: it has ended
  UniqueFd input_;  // when it is closed, the page ends
  std::string address_;
};

}  // namespace dpm::cli
