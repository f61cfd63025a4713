// One program or library file, opened for libdw. Only for the parts of this folder.
#pragma once

#include <elfutils/libdwfl.h>

#include <string>

namespace dpm {

class ModuleFile {
 public:
  ModuleFile() = default;
  ModuleFile(const ModuleFile&) = delete;
  ModuleFile& operator=(const ModuleFile&) = delete;
  ~ModuleFile();

  // False if the file cannot be read, or is not a regular ELF file.
  bool load(const std::string& path);
  Dwfl_Module* module() const { return module_; }

 private:
  Dwfl_Callbacks callbacks_ = {::dwfl_build_id_find_elf, ::dwfl_standard_find_debuginfo, ::dwfl_offline_section_address,
                               nullptr};
  Dwfl* session_ = nullptr;
  Dwfl_Module* module_ = nullptr;
};

}  // namespace dpm
