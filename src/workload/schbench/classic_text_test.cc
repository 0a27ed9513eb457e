#include "workload/schbench/classic_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "workload/schbench/external.h"

namespace schedlab::workload::schbench {
namespace {

Histogram filled(std::uint64_t count) {
  Histogram histogram;
  for (std::uint64_t i = 1; i <= count; ++i)
    histogram.record(i);
  return histogram;
}

TEST(ClassicPercentile, IsTheBucketsMiddleButNeverOutsideMinAndMax) {
  Histogram one;
  one.record(20'020'000);
  for (const double percentile : kClassicPercentiles)
    EXPECT_EQ(classic_percentile(one, percentile), 20'020'000U);
  EXPECT_EQ(classic_percentile(filled(4000), 50), 2002U) << "bucket 2000 to 2003";
  EXPECT_EQ(classic_percentile(Histogram(), 99), 0U);
}

TEST(ClassicPercentile, AscendsForAnyHistogram) {
  Histogram histogram;
  for (std::uint64_t i = 0; i < 3000; ++i)
    histogram.record(i * i * 37 % 100'003);
  std::uint64_t last = histogram.min();
  for (double percentile = 0.5; percentile <= 100; percentile += 0.5) {
    const std::uint64_t value = classic_percentile(histogram, percentile);
    EXPECT_GE(value, last);
    EXPECT_LE(value, histogram.max());
    last = value;
  }
}

TEST(ClassicBlock, RowsCountSinceTheRowBeforeAndTheHiddenOneToo) {
  const ClassicBlock block = classic_block(filled(100), kClassicPercentiles);
  ASSERT_EQ(block.rows.size(), 5U);
  EXPECT_EQ(block.rows[0], (ClassicRow{20, 20, 20}));
  EXPECT_EQ(block.rows[1], (ClassicRow{50, 50, 30}));
  EXPECT_EQ(block.rows[3], (ClassicRow{99, 99, 9}));
  EXPECT_EQ(block.total, 100U);
}

TEST(TransferSize, UsesPowersOf1024) {
  EXPECT_EQ(transfer_size(234'186.40 * 4096), "914.79MB");
  EXPECT_EQ(transfer_size(6748.51 * 1'048'576), "6.59GB");
  EXPECT_EQ(transfer_size(12), "12.00B");
}

ClassicReport sample_report() {
  ClassicReport report;
  report.wakeup = classic_block(filled(100), kClassicPercentiles);
  report.request = classic_block(filled(90), kClassicPercentiles);
  report.rps = classic_block(filled(10), kClassicPercentiles);
  report.average_rps = 12.345;
  report.message_delay_us = 3;
  report.worker_delay_us = 4;
  return report;
}

TEST(FinalText, LooksLikeTheOriginals) {
  EXPECT_EQ(final_text(sample_report(), std::chrono::seconds(10)),
            "Wakeup Latencies percentiles (usec) runtime 10 (s) (100 total samples)\n"
            "\t  50.0th: 50         (30 samples)\n"
            "\t  90.0th: 90         (40 samples)\n"
            "\t* 99.0th: 99         (9 samples)\n"
            "\t  99.9th: 100        (1 samples)\n"
            "\t  min=1, max=100\n"
            "Request Latencies percentiles (usec) runtime 10 (s) (90 total samples)\n"
            "\t  50.0th: 45         (27 samples)\n"
            "\t  90.0th: 81         (36 samples)\n"
            "\t* 99.0th: 90         (9 samples)\n"
            "\t  99.9th: 90         (0 samples)\n"
            "\t  min=1, max=90\n"
            "RPS percentiles (requests) runtime 10 (s) (10 total samples)\n"
            "\t  20.0th: 2          (2 samples)\n"
            "\t* 50.0th: 5          (3 samples)\n"
            "\t  90.0th: 9          (4 samples)\n"
            "\t  min=1, max=10\n"
            "average rps: 12.35\n"
            "sched delay: message 3 (usec) worker 4 (usec)\n");
}

TEST(FinalText, IsReadBackByTheExternalReader) {
  const ClassicReport report = sample_report();
  const auto back = parse_classic_text(Options(), final_text(report, std::chrono::seconds(10)));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->wakeup->at(99), report.wakeup->at(99));
  EXPECT_EQ(back->request->max, report.request->max);
  EXPECT_EQ(back->worker_delay_us, 4);
}

TEST(ReportJson, EscapesWhatItIsGiven) {
  JsonContext context;
  context.kernel = "6.1";
  context.job_name = "a\"b\\c\n\xff";
  context.hostname = "box";
  context.sched_ext = "disabled";
  context.command_line = "schbench -J 'a\"b'";
  context.time = 7;
  const auto json = nlohmann::json::parse(
      report_json(sample_report(), context, std::chrono::seconds(10)), nullptr, false);
  ASSERT_FALSE(json.is_discarded());
  EXPECT_EQ(json["normal"]["cmdline"], "schbench -J 'a\"b'");
  EXPECT_EQ(json["int"]["runtime"], 10);
  EXPECT_EQ(json["int"]["wakeup_latency_pct99.9"], 100);
  EXPECT_EQ(json["int"]["rps_pct20.0"], 2);
  for (const char* prefix : {"wakeup_latency", "request_latency", "rps"}) {
    for (const char* key :
         {"_pct20.0", "_pct50.0", "_pct90.0", "_pct99.0", "_pct99.9", "_min", "_max"})
      EXPECT_TRUE(json["int"].contains(std::string(prefix) + key)) << prefix << key;
  }
}

}  // namespace
}  // namespace schedlab::workload::schbench
