#include "os/read_file.hpp"

#include <fcntl.h>

#include "os/unique_fd.hpp"
#include "os/whole_io.hpp"

namespace dpm {

std::string read_file(const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return file ? read_to_end(file.get()) : "";
}

}  // namespace dpm
