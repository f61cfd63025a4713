// links: dpm_controller
// Command lines come from users and their scripts: whatever is read can be written so that it reads back the same.
#include "control/controller/command_words.hpp"

#include <string_view>

#include "control/controller/command_forms.hpp"
#include "model/check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dpm::control;
  const auto command = read_words(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!command) {
    DPM_CHECK(!command.error().what.empty());
    return 0;
  }
  std::string line;
  for (const auto& word : command->words) {
    line += quoted_word(word) + " ";
    const auto form = find_command(word);
    DPM_CHECK(form || !form.error().what.empty());
  }
  if (command->input) line += "<" + quoted_word(*command->input);
  const auto again = read_words(line);
  DPM_CHECK(again.has_value() && again->words == command->words && again->input == command->input);
  return 0;
}
