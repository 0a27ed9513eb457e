// schedlab db: what a database holds, for people and for their scripts.
#pragma once

#include <cstdio>
#include <span>
#include <string>

namespace schedlab::cli {

/// `arguments` start with list, show, export or check. Prints on `out`, errors as one line on
/// `err`; returns the exit status: 0 done; 1 failed, or check found something; 2 usage. Only reads
/// the database.
int db_main(std::span<const std::string> arguments, std::FILE* out, std::FILE* err);

}  // namespace schedlab::cli
