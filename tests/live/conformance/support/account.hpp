// What a conformance program says about itself: lines in a file that is mapped into the memory of all its processes.
#pragma once

#include <string_view>

namespace dpm {

class Account {
 public:
  // The file is DPM_ACCOUNT: the starter of the program makes it large enough and fills it with zeros. Without it, lines go
  // to standard output.
  Account();
  Account(const Account&) = delete;

  // From any thread, process or signal handler. The line comes after every line that was added before.
  void add(std::string_view line) const;

 private:
  struct Page;
  Page* page_ = nullptr;
};

}  // namespace dpm
