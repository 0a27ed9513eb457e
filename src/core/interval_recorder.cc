#include "core/interval_recorder.h"

#include <chrono>
#include <thread>

#include "core/check.h"

namespace schedlab {

IntervalRecorder::IntervalRecorder(std::size_t histograms) {
  for (std::vector<Histogram>& set : sets_)
    set.resize(histograms);
}

bool IntervalRecorder::collect(std::span<Histogram> into, Nanos patience) {
  SCHEDLAB_CHECK(into.size() == sets_[0].size());
  // What a call that gave up left behind comes first: only then is the other set free to be active.
  if (turned_over_ && !take_old_set(into, patience)) return false;
  active_.store(1 - active_.load(std::memory_order_relaxed), std::memory_order_seq_cst);
  turned_over_ = true;
  return take_old_set(into, patience);
}

bool IntervalRecorder::take_old_set(std::span<Histogram> into, Nanos patience) {
  const std::uint32_t old = 1 - active_.load(std::memory_order_relaxed);
  if (!wait_until_left(old, patience)) return false;
  for (std::size_t i = 0; i < into.size(); ++i) {
    if (sets_[old][i].empty()) continue;
    into[i].merge(sets_[old][i]);
    sets_[old][i].clear();
  }
  turned_over_ = false;
  return true;
}

bool IntervalRecorder::wait_until_left(std::uint32_t set, Nanos patience) const {
  constexpr Nanos kPause = std::chrono::microseconds(50);
  for (Nanos waited{0};; waited += kPause) {
    if (writing_.load(std::memory_order_seq_cst) != set + 1) return true;
    if (waited >= patience) return false;
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace schedlab
