// The project's own files, for the tests that read them: which there are, and their lines.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace dpm {

// A file of the project: its path from the root ("model/event.hpp") and its lines.
struct SourceFile {
  std::string path;
  std::vector<std::string> lines;

  std::string folder() const;     // "model"; empty for files at the root
  std::string name() const;       // "event.hpp"
  std::string extension() const;  // ".hpp"; empty without one
};

// Every text file under `root` by increasing path, without build and output folders and hidden ones except .ci. Files
// with a NUL byte count as data and are left out.
std::vector<SourceFile> read_source_tree(const std::filesystem::path& root);

// Where the sources of this project are (DPM_SOURCE_DIR, set for every test, or the current directory).
std::filesystem::path source_root();

// A small tree in a temporary folder that is removed with this object, to plant violations in.
class PlantedTree {
 public:
  explicit PlantedTree(const std::vector<std::pair<std::string, std::string>>& path_and_text);
  ~PlantedTree();
  PlantedTree(const PlantedTree&) = delete;
  PlantedTree& operator=(const PlantedTree&) = delete;

  const std::filesystem::path& root() const { return root_; }

 private:
  std::filesystem::path root_;
};

}  // namespace dpm
