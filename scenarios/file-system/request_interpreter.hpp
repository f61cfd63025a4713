// The front door of the file system: takes users' requests, passes them on, and gives the answers back.
//
//   receive; if `slots` requests are in the file system: only an answer
//   request of a user   compute; OPEN to the directory manager, READ and WRITE to the buffer manager
//   answer              compute; reply to the user
//
// The slots are the table of requests being worked on. While it is full, users queue here: this is the queue of thesis
// figure 5.15.
#pragma once

#include "model/program.hpp"

namespace dpm::scenarios::file_system {

ProgramDescription request_interpreter();

}  // namespace dpm::scenarios::file_system
