#include "control/controller/help_texts.hpp"

#include <fmt/format.h>

#include "control/controller/user_files.hpp"

namespace dpm::control {

Result<HelpTexts> HelpTexts::read(const std::string& path) {
  const auto lines = read_script(path);
  if (!lines) return lines.error();
  HelpTexts texts;
  std::string* text = nullptr;
  for (std::size_t i = 0; i < lines->size(); ++i) {
    const std::string& line = (*lines)[i];
    if (line.empty() || line.front() == ' ' || line.front() == '\t') {
      if (text != nullptr && !line.empty()) *text += '\n' + line;
      continue;
    }
    const auto form = find_command(line.substr(0, line.find(' ')));
    if (!form) return Error{fmt::format("{}:{}: {}", path, i + 1, form.error().what)};
    text = &texts.own_[(*form)->verb];
    *text = line;
  }
  return texts;
}

std::string HelpTexts::menu() const {
  std::string text;
  for (const auto& form : command_forms()) {
    const auto own = own_.find(form.verb);
    text += (own == own_.end() ? menu_text(form) : own->second) + '\n';
  }
  return text + flags_text();
}

std::string HelpTexts::of(const CommandForm& form) const {
  const auto own = own_.find(form.verb);
  return own == own_.end() ? help_text(form) : own->second;
}

}  // namespace dpm::control
