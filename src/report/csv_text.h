// Fields of CSV (RFC 4180) as every CSV of ours writes them.
#pragma once

#include <string>
#include <vector>

namespace schedlab::report {

using CsvFields = std::vector<std::string>;

/// The shortest text that reads back as the same number; empty when it is not finite.
std::string csv_number(double value);

/// A ratio as the change in percent.
std::string csv_change(double ratio);

/// Joined by commas, quoted where they must be, ended by CRLF.
std::string csv_line(const CsvFields& fields);

}  // namespace schedlab::report
