#include "native/native_process.hpp"

#include <sys/prctl.h>
#include <unistd.h>

#include <exception>

#include "native/pinning.hpp"
#include "native/process_title.hpp"

#ifdef DPM_COVERAGE
extern "C" void __gcov_dump(void);
#endif

namespace dpm::native {
namespace {

const BoardRow* own_row = nullptr;  // a signal handler has nothing but globals

// The launcher ends a service, or everybody: what was counted is told first.
void tell_and_end(int signal) {
  own_row->write_all();
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

[[noreturn]] void leave(int status) {
#ifdef DPM_COVERAGE
  __gcov_dump();
#endif
  ::_exit(status);
}

// "" when the program has ended as it should.
std::string run_program(const ProcessDescription& description, Membership membership, UniqueFd listener) {
  const std::string who = "process '" + description.name + "'";
  try {
    try {
      NativeCalls calls(std::move(membership), std::move(listener));
      description.program(calls);
      calls.stop_task();
    } catch (const StopTask&) {
      return "";
    }
  } catch (const Misuse& misuse) {
    return misuse.what;
  } catch (const SystemFailure& failure) {
    return who + " could not go on: " + failure.what();
  } catch (const std::exception& exception) {
    return who + " ended with an exception: " + exception.what();
  } catch (...) {
    return who + " ended with an exception that is not a std::exception";
  }
}

}  // namespace

void run_as_process(const Surroundings& surroundings, Membership membership, UniqueFd listener) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != surroundings.launcher) leave(1);  // it died before we asked to die with it
  // A terminal sends its signals to all of us; the launcher answers for all.
  for (const int signal : {SIGINT, SIGQUIT, SIGHUP}) ::signal(signal, SIG_IGN);
  own_row = &membership.row;
  ::signal(SIGTERM, tell_and_end);
  ::sigprocmask(SIG_SETMASK, &surroundings.signal_mask, nullptr);

  const std::uint32_t number = membership.process;
  const ProcessDescription& description = membership.scenario.processes[number];
  const Journal& journal = membership.journal;
  BoardRow& row = membership.row;
  set_process_title(description.name);
  const auto placed = surroundings.core ? stay_on_core(*surroundings.core) : Result<void>{};
  if (!placed) {
    journal.append(EntryKind::failed, number, "process '" + description.name + "': " + placed.error().what);
    leave(1);
  }
  row.wait_at_gate();
  row.counts.cpu_ns_at_start = own_cpu_ns();
  row.change(Doing::running);
  const std::string failure = run_program(description, std::move(membership), std::move(listener));
  row.counts.cpu_ns_at_end = own_cpu_ns();
  row.write_all();
  if (failure.empty()) leave(0);
  journal.append(EntryKind::failed, number, failure);
  leave(1);
}

}  // namespace dpm::native
