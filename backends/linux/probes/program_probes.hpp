// Which probes an event of a script needs in a program: S3's objects, found in a program that does not declare them.
//
//   point_enter, point_leave on ANYTHING at *.P.FUNCTION      the function is the Point
//   integer_access, integer_assign on ARGUMENT at ...         an argument of the function, by its name (which needs debug information)
//                                                             or as arg1 to arg6; arg1:s32 has a type (s or u, 8 to 64 bits)
//   integer_access, integer_assign on result at ...           what the function returns; result:s32 has a type
//   point_forced on PROVIDER:NAME at *.P.*                    a static tracepoint; PROVIDER:NAME:argN records its N-th argument
#pragma once

#include <dpm/monitor/actions.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backends/linux/probes/probe.hpp"
#include "model/result.hpp"
#include "trace/symbols/module_functions.hpp"

namespace dpm {

class ProgramProbes {
 public:
  // Of a program that may not run yet; or with the files that a process executes from, its program first.
  explicit ProgramProbes(const std::string& path);
  explicit ProgramProbes(const std::vector<std::string>& files);

  bool is_readable() const { return !modules_.empty(); }
  // Of the files that a process executes from.
  bool has_all(const std::vector<std::string>& files) const;
  // Such a program tells its events itself.
  bool uses_library() const;

  struct Plan {
    std::vector<Probe> probes;
    std::string warning;  // what the events do not show
  };
  Result<Plan> plan(const monitor::ActionName& action, const std::string& object, const std::string& function);

 private:
  struct Module {
    std::string path;
    std::unique_ptr<ModuleFunctions> functions;
  };
  void add(const std::string& path);
  Result<Plan> plan_tracepoint(const monitor::ActionName& action, const std::string& object);
  Result<Plan> plan_function(const monitor::ActionName& action, const std::string& object, const std::string& function);
  Result<void> choose_value(Module& module, const FunctionEntry& entry, const std::string& object,
                            const std::string& function, Probe& probe);
  Error unknown_function(const std::string& function);

  std::vector<Module> modules_;  // the program first
  std::size_t unknown_ = 0;      // functions that were asked for in vain
};

}  // namespace dpm
