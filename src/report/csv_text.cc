#include "report/csv_text.h"

#include <fmt/format.h>

#include <cmath>

namespace schedlab::report {

namespace {

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

}  // namespace

std::string csv_number(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "";
}

std::string csv_change(double ratio) {
  return csv_number((ratio - 1) * 100);
}

std::string csv_line(const CsvFields& fields) {
  std::string out;
  for (std::size_t i = 0; i < fields.size(); ++i)
    out += (i == 0 ? "" : ",") + quoted(fields[i]);
  return out + "\r\n";
}

}  // namespace schedlab::report
