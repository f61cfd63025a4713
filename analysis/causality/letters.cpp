#include "analysis/causality/letters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "model/nearest_name.hpp"

namespace dpm {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
char upper(char c) { return static_cast<char>(std::toupper(static_cast<unsigned char>(c))); }

bool well_formed(const std::string& designator) {
  if (designator.empty() || designator[0] < 'A' || designator[0] > 'Z') return false;
  return std::all_of(designator.begin() + 1, designator.end(),
                     [](char c) { return is_digit(c) || (c >= 'a' && c <= 'z'); });
}

// The first letters of a name's words: of "disk_interface" and "DiskInterface" D and I.
std::vector<char> initials(const std::string& name) {
  std::vector<char> letters;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (!is_letter(name[i])) continue;
    const bool after_letter = i > 0 && is_letter(name[i - 1]);
    const bool hump = after_letter && name[i] <= 'Z' && name[i - 1] >= 'a';
    if (!after_letter || hump) letters.push_back(upper(name[i]));
  }
  return letters;
}

std::string trailing_digits(const std::string& name) {
  std::size_t begin = name.size();
  while (begin > 0 && is_digit(name[begin - 1])) --begin;
  return name.substr(begin);
}

// Aa, Ab, ... Zz, Aaa, ...: never runs out.
std::string numbered(std::size_t number) {
  std::string tail;
  std::size_t rest = number / 26;
  do {
    tail.insert(tail.begin(), static_cast<char>('a' + rest % 26));
    rest = rest / 26;
  } while (rest > 0);
  return std::string(1, static_cast<char>('A' + number % 26)) + tail;
}

class Assignment {
 public:
  explicit Assignment(std::span<const std::string> names) : names_(names), letters_(names.size()) {}

  Result<void> wish(const std::map<std::string, std::string>& wished) {
    for (const auto& [name, designator] : wished) {
      const auto at = std::find(names_.begin(), names_.end(), name);
      if (at == names_.end()) {
        const std::vector<std::string> valid(names_.begin(), names_.end());
        return Error{fmt::format("letters: no process '{}' in the computation{}", name, did_you_mean(name, valid))};
      }
      if (!well_formed(designator)) {
        return Error{
            fmt::format("letters: '{}' for {} must be a capital and then digits or small letters", designator, name)};
      }
      if (!take(static_cast<std::size_t>(at - names_.begin()), designator)) {
        return Error{fmt::format("letters: '{}' is given to two processes", designator)};
      }
    }
    return {};
  }

  std::vector<std::string> assign() {
    number_families();
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (!letters_[i].empty()) continue;
      for (const char initial : initials(names_[i])) {
        if (take(i, std::string(1, initial))) break;
      }
    }
    char single = 'A';
    std::size_t number = 0;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      while (letters_[i].empty()) take(i, single <= 'Z' ? std::string(1, single++) : numbered(number++));
    }
    return std::move(letters_);
  }

 private:
  // server1, server2, ...: processes that share an initial and end in different numbers keep their numbers.
  void number_families() {
    std::map<char, std::size_t> family_size;
    for (const auto& name : names_) {
      const auto letters = initials(name);
      if (!letters.empty() && !trailing_digits(name).empty()) ++family_size[letters.front()];
    }
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const auto letters = initials(names_[i]);
      const std::string digits = trailing_digits(names_[i]);
      if (!letters_[i].empty() || letters.empty() || digits.empty() || family_size[letters.front()] < 2) continue;
      take(i, letters.front() + digits);
    }
  }

  bool take(std::size_t process, const std::string& designator) {
    if (!taken_.insert(designator).second) return false;
    letters_[process] = designator;
    return true;
  }

  std::span<const std::string> names_;
  std::vector<std::string> letters_;
  std::set<std::string> taken_;
};

}  // namespace

Result<std::vector<std::string>> assign_letters(std::span<const std::string> names,
                                                const std::map<std::string, std::string>& wished) {
  Assignment assignment(names);
  if (auto valid = assignment.wish(wished); !valid) return valid.error();
  return assignment.assign();
}

std::vector<std::string> designators_of(const std::string& path) {
  std::vector<std::string> designators;
  for (const char c : path) {
    if (designators.empty() || std::isupper(static_cast<unsigned char>(c))) designators.emplace_back();
    designators.back() += c;
  }
  return designators;
}

}  // namespace dpm
