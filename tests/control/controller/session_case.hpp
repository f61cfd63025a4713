// A session with the controller as a text: what the user types and what is printed, and between them what happens on
// the machines. Performing it gives the same text with what is printed now.
//
//     # what it is about                        comments, before the first command
//     % pid blue 2117                           a direction to the machines, see session_case.cpp for all
//     <Control> filter f1 blue                  what the user types
//     filter 'f1' was created: identifier = 2117
#pragma once

#include <string>

namespace dpm::control::test {

// In a folder of its own, which is called HERE in the text.
std::string perform_session(const std::string& text);

}  // namespace dpm::control::test
