// Every command there is. One factory each, defined in cli/commands/NAME.cpp.
#pragma once

#include "cli/command.hpp"

namespace dpm::cli {

std::unique_ptr<Command> make_run();
std::unique_ptr<Command> make_statistics();
std::unique_ptr<Command> make_queues();
std::unique_ptr<Command> make_parallelism();
std::unique_ptr<Command> make_causality();
std::unique_ptr<Command> make_predict();
std::unique_ptr<Command> make_twin();
std::unique_ptr<Command> make_report();
std::unique_ptr<Command> make_filter();
std::unique_ptr<Command> make_merge();
std::unique_ptr<Command> make_clocks();
std::unique_ptr<Command> make_events();
std::unique_ptr<Command> make_doctor();
std::unique_ptr<Command> make_calibrate();
std::unique_ptr<Command> make_meter();
std::unique_ptr<Command> make_acquire();
std::unique_ptr<Command> make_setflags();
std::unique_ptr<Command> make_list();
std::unique_ptr<Command> make_stop();
std::unique_ptr<Command> make_meterd();
std::unique_ptr<Command> make_control();
std::unique_ptr<Command> make_validate();

// What the program dpm does itself.
Commands trace_commands();

// What it leaves to dpm-sim: listed in its help, run there.
std::vector<std::string> simulator_commands_by_name();

}  // namespace dpm::cli
