#include "trace/spare_descriptor.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

namespace dpm {

void SpareDescriptor::take() {
  if (fd_ < 0) fd_ = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
}

void SpareDescriptor::give() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

}  // namespace dpm
