// The words of a C++ file, without comments, texts and numbers: enough to tell a declaration from a call in code that
// clang-format has laid out.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tests/support/source_tree.hpp"

namespace dpm {

struct CppToken {
  std::string text;                  // an identifier, "::", "->", "\n" between a directive and code, or one character
  std::size_t line = 0, column = 0;  // from 0
  bool is_name = false;
  bool in_directive = false;  // "#define ..."
  bool after_space = false;
};

std::vector<CppToken> cpp_tokens(const SourceFile& file);

}  // namespace dpm
