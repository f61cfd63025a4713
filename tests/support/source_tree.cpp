#include "tests/support/source_tree.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include "model/check.hpp"

namespace dpm {
namespace fs = std::filesystem;

namespace {

bool is_skipped_folder(const fs::path& folder, bool at_root) {
  const std::string name = folder.filename().string();
  if (at_root && (name == "build" || name == "out")) return true;
  return name.front() == '.' && name != ".ci";
}

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace

std::string SourceFile::folder() const { return fs::path(path).parent_path().generic_string(); }
std::string SourceFile::name() const { return fs::path(path).filename().string(); }
std::string SourceFile::extension() const { return fs::path(path).extension().string(); }

std::vector<SourceFile> read_source_tree(const fs::path& root) {
  std::vector<SourceFile> files;
  for (auto entry = fs::recursive_directory_iterator(root); entry != fs::recursive_directory_iterator(); ++entry) {
    if (entry->is_directory()) {
      if (is_skipped_folder(entry->path(), entry.depth() == 0)) entry.disable_recursion_pending();
      continue;
    }
    if (!entry->is_regular_file()) continue;
    std::ifstream in(entry->path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    // A binary file (a picture) has no lines, but links may lead to it.
    const bool is_text = text.find('\0') == std::string::npos;
    files.push_back(
        {fs::relative(entry->path(), root).generic_string(), is_text ? split_lines(text) : std::vector<std::string>{}});
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return files;
}

fs::path source_root() {
  const char* root = std::getenv("DPM_SOURCE_DIR");
  return root != nullptr ? fs::path(root) : fs::current_path();
}

PlantedTree::PlantedTree(const std::vector<std::pair<std::string, std::string>>& path_and_text) {
  std::string pattern = (fs::temp_directory_path() / "dpm-planted-XXXXXX").string();
  DPM_CHECK(mkdtemp(pattern.data()) != nullptr);
  root_ = pattern;
  for (const auto& [path, text] : path_and_text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
}

PlantedTree::~PlantedTree() {
  std::error_code ignored;  // a temporary folder left behind is harmless
  fs::remove_all(root_, ignored);
}

}  // namespace dpm
