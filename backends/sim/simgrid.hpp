// SimGrid, by names that mean the same in 3.32 (Debian 12) and in 4.0 (Debian 13), which replaced these three and takes the old ones away next.
#pragma once

#include <simgrid/version.h>

#include <functional>
#include <simgrid/s4u.hpp>
#include <string>
#include <utility>

namespace dpm::sim::simgrid_names {

#if SIMGRID_VERSION >= 40000
inline simgrid::s4u::NetZone* add_zone(const simgrid::s4u::Engine& engine, const std::string& name) {
  return engine.get_netzone_root()->add_netzone_empty(name);
}

inline simgrid::s4u::Host* add_host(simgrid::s4u::NetZone& zone, const std::string& name, double flops_per_second) {
  return zone.add_host(name, flops_per_second);
}

inline void add_actor(const std::string& name, simgrid::s4u::Host* host, std::function<void()> body) {
  simgrid::s4u::Engine::get_instance()->add_actor(name, host, std::move(body));
}

constexpr const char* kPrecision = "--cfg=precision/timing:";
#else
inline simgrid::s4u::NetZone* add_zone(const simgrid::s4u::Engine&, const std::string& name) {
  return simgrid::s4u::create_empty_zone(name);
}

inline simgrid::s4u::Host* add_host(simgrid::s4u::NetZone& zone, const std::string& name, double flops_per_second) {
  return zone.create_host(name, flops_per_second);
}

inline void add_actor(const std::string& name, simgrid::s4u::Host* host, std::function<void()> body) {
  simgrid::s4u::Actor::create(name, host, std::move(body));
}

constexpr const char* kPrecision = "--cfg=surf/precision:";
#endif

}  // namespace dpm::sim::simgrid_names
