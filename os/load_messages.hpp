// What libbpf prints while it loads eBPF programs into the kernel, and the line in it that says why they were refused.
//
// libbpf gives its messages to one function of the whole process. They are kept for the thread that loads, while a LoadMessages of it lives;
// others are dropped.
#pragma once

#include <cstdarg>
#include <string>
#include <string_view>

namespace dpm {

class LoadMessages {
 public:
  LoadMessages();
  ~LoadMessages();
  LoadMessages(const LoadMessages&) = delete;
  LoadMessages& operator=(const LoadMessages&) = delete;

  // What libbpf_set_print() is given, without libbpf's types.
  static int keep(const char* format, std::va_list values);

  // "program on_waking: ...": the program or object that was refused, and the last line that tells the reason; empty: there was no message.
  std::string reason() const;

 private:
  std::string text_;
  LoadMessages* const outer_;
};

std::string reason_in_load_messages(std::string_view text);

}  // namespace dpm
