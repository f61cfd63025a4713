#include "scenarios/file-system/service_times.hpp"

#include <algorithm>
#include <cmath>

namespace dpm::scenarios::file_system {

std::vector<ParameterDescription> with_service_times(std::vector<ParameterDescription> parameters) {
  parameters.push_back({"spread", 0.25, "service times are uniform from mean * (1 - spread) to mean * (1 + spread)"});
  return parameters;
}

ServiceTimes::ServiceTimes(const Settings& settings, MessageCalls& calls)
    : calls_(calls), spread_(settings.probability("spread")), random_(0) {}

void ServiceTimes::begin(const Request& request, MessageCode step) {
  // Operations of one request on different blocks differ, so do a request's steps in different processes.
  const std::string step_name = calls_.name() + static_cast<char>('A' + step);
  const std::uint64_t block = (std::uint64_t{request.block.file} << 17) + (std::uint64_t{request.block.block} << 1) +
                              (request.block.of_pointers ? 1 : 0);
  random_ = Random::stream((std::uint64_t{request.tag} << 32) ^ block, step_name);
}

Duration ServiceTimes::around(Duration mean) {
  const double factor = random_.uniform(1 - spread_, 1 + spread_);
  return {std::llround(static_cast<double>(mean.ns) * factor)};
}

}  // namespace dpm::scenarios::file_system
