#include "scenarios/native/native_process.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <exception>

#include "scenarios/native/pinning.hpp"
#include "scenarios/native/process_title.hpp"

#ifdef DPM_COVERAGE
extern "C" void __gcov_dump(void);
#endif

namespace dpm::native {
namespace {

const BoardRow* own_row = nullptr;  // a signal handler reaches only globals

// The launcher ends the process: it writes its counts first.
void tell_and_end(int signal) {
  own_row->write_all();
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

// A wait with a limit goes on for the rest of it when its process continues. With a handler it is interrupted.
void interrupt_waits_when_resumed() {
  struct sigaction handled = {};
  handled.sa_handler = [](int) {};
  ::sigaction(SIGCONT, &handled, nullptr);
}

[[noreturn]] void leave(int status) {
#ifdef DPM_COVERAGE
  __gcov_dump();
#endif
  ::_exit(status);
}

// "" when the program has ended as it should.
std::string run_program(const ProcessDescription& description, Membership membership, UniqueFd listener) {
  const std::string who = fmt::format("process '{}'", description.name);
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
    return fmt::format("{} could not go on: {}", who, failure.what());
  } catch (const std::exception& exception) {
    return fmt::format("{} ended with an exception: {}", who, exception.what());
  } catch (...) {
    return who + " ended with an exception that is not a std::exception";
  }
}

}  // namespace

void run_as_process(const Surroundings& surroundings, Membership membership, UniqueFd listener) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != surroundings.launcher) leave(1);  // it ended before the line above
  // A terminal sends its signals to all processes of the run. The launcher answers for all.
  for (const int signal : {SIGINT, SIGQUIT, SIGHUP}) ::signal(signal, SIG_IGN);
  own_row = &membership.row;
  ::signal(SIGTERM, tell_and_end);
  interrupt_waits_when_resumed();
  ::sigprocmask(SIG_SETMASK, &surroundings.signal_mask, nullptr);

  const std::uint32_t number = membership.process;
  const ProcessDescription& description = membership.scenario.processes[number];
  const Journal& journal = membership.journal;
  BoardRow& row = membership.row;
  set_process_title(description.name);
  const auto placed = surroundings.core ? stay_on_core(*surroundings.core) : Result<void>{};
  if (!placed) {
    journal.append(EntryKind::failed, number, fmt::format("process '{}': {}", description.name, placed.error().what));
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
