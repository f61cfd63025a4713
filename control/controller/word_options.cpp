#include "control/controller/word_options.hpp"

#include <utility>

namespace dpm::control {

std::vector<WordOption> take_options(Words& words) {
  std::vector<WordOption> options;
  Words others;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!words[i].starts_with("--")) {
      others.push_back(words[i]);
      continue;
    }
    WordOption option{words[i], ""};
    if (const auto equals = option.name.find('='); equals != std::string::npos) {
      option.value = option.name.substr(equals + 1);
      option.name.resize(equals);
    } else if (i + 1 < words.size()) {
      option.value = words[++i];
    }
    options.push_back(std::move(option));
  }
  words = std::move(others);
  return options;
}

}  // namespace dpm::control
