#include "scenarios/file-system/program.hpp"

#include "scenarios/file-system/buffer_manager.hpp"
#include "scenarios/file-system/directory_manager.hpp"
#include "scenarios/file-system/disk.hpp"
#include "scenarios/file-system/disk_interface.hpp"
#include "scenarios/file-system/name_server.hpp"
#include "scenarios/file-system/request_interpreter.hpp"
#include "scenarios/file-system/user.hpp"

namespace dpm::scenarios::file_system {

std::vector<ProgramDescription> programs() {
  return {
      request_interpreter(), directory_manager(), buffer_manager(), disk_interface(), disk(), name_server(), user()};
}

}  // namespace dpm::scenarios::file_system
